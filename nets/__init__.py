"""Networks, their gradients, their training and their data: arrays in, arrays out.

What is used most can be imported from here, and is loaded when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nets.core.arrays import Array as Array
    from nets.data.distances import DataError as DataError
    from nets.data.distances import normalise_rows as normalise_rows
    from nets.data.distances import separation as separation
    from nets.data.labelled import Dataset as Dataset
    from nets.data.labelled import DataSource as DataSource
    from nets.data.points import ARRANGEMENTS as ARRANGEMENTS
    from nets.data.points import arranged as arranged
    from nets.data.points import pair_at_distance as pair_at_distance
    from nets.data.points import polygon as polygon
    from nets.data.points import random_labels as random_labels
    from nets.data.points import separated as separated
    from nets.data.points import sphere as sphere
    from nets.descent.training import Trajectory as Trajectory
    from nets.descent.training import all_batches as all_batches
    from nets.descent.training import descent_step as descent_step
    from nets.descent.training import draw_batch as draw_batch
    from nets.descent.training import sgd_step as sgd_step
    from nets.descent.training import train as train
    from nets.linear_algebra.lowrank import LowRank as LowRank
    from nets.linear_algebra.lowrank import outer as outer
    from nets.linear_algebra.revealed import RevealedGaussian as RevealedGaussian
    from nets.networks.activations import IDENTITY as IDENTITY
    from nets.networks.activations import RELU as RELU
    from nets.networks.activations import Activation as Activation
    from nets.networks.activations import custom_activation as custom_activation
    from nets.networks.activations import huberised_relu as huberised_relu
    from nets.networks.activations import leaky_relu as leaky_relu
    from nets.networks.activations import scaled_swish as scaled_swish
    from nets.networks.constructors import ntk_network as ntk_network
    from nets.networks.constructors import patch_network as patch_network
    from nets.networks.constructors import plain_network as plain_network
    from nets.networks.constructors import sliding_patches as sliding_patches
    from nets.networks.constructors import two_layer_network as two_layer_network
    from nets.networks.forward import Forward as Forward
    from nets.networks.forward import forward as forward
    from nets.networks.fresh import fresh_forward as fresh_forward
    from nets.networks.function_network import FunctionNetwork as FunctionNetwork
    from nets.networks.gradients import Backward as Backward
    from nets.networks.gradients import backward as backward
    from nets.networks.gradients import gradient_norms as gradient_norms
    from nets.networks.gradients import loss_gradient as loss_gradient
    from nets.networks.gradients import output_gradient as output_gradient
    from nets.networks.log_loss import logistic_terms as logistic_terms
    from nets.networks.logistic_gradients import log_gradient_norms as log_gradient_norms
    from nets.networks.logistic_gradients import logistic_gradient as logistic_gradient
    from nets.networks.logistic_gradients import logistic_step as logistic_step
    from nets.networks.losses import CROSS_ENTROPY as CROSS_ENTROPY
    from nets.networks.losses import EXPONENTIAL as EXPONENTIAL
    from nets.networks.losses import HINGE as HINGE
    from nets.networks.losses import HUBERISED_HINGE as HUBERISED_HINGE
    from nets.networks.losses import LOGISTIC as LOGISTIC
    from nets.networks.losses import SQUARE as SQUARE
    from nets.networks.losses import SQUARED_HINGE as SQUARED_HINGE
    from nets.networks.losses import Loss as Loss
    from nets.networks.losses import OutputLoss as OutputLoss
    from nets.networks.losses import empirical_risk as empirical_risk
    from nets.networks.losses import power_loss as power_loss
    from nets.networks.network import Layer as Layer
    from nets.networks.network import Network as Network
    from nets.networks.network import Step as Step
    from nets.networks.network import balanced_signs as balanced_signs
    from nets.networks.network import gaussian_network as gaussian_network
    from nets.networks.network import gaussian_smooth_network as gaussian_smooth_network
    from nets.networks.network import he_network as he_network
    from nets.networks.network import leaky_network as leaky_network
    from nets.networks.network import perturbed as perturbed
    from nets.networks.network import recurrent_network as recurrent_network
    from nets.networks.network import residual_network as residual_network
    from nets.networks.network import revealed_network as revealed_network
    from nets.networks.network import shifted as shifted
    from nets.networks.network import smooth_network as smooth_network
    from nets.networks.operators import flip_counts as flip_counts
    from nets.networks.operators import frobenius_norm as frobenius_norm
    from nets.networks.operators import gated_gram as gated_gram
    from nets.networks.operators import layer_norms as layer_norms
    from nets.networks.operators import masked_product as masked_product
    from nets.networks.operators import masked_product_operator as masked_product_operator
    from nets.networks.operators import norm_interval as norm_interval
    from nets.networks.operators import operator_norm as operator_norm
    from nets.networks.operators import pairwise_distances as pairwise_distances
    from nets.networks.operators import sparse_supremum as sparse_supremum
    from nets.networks.operators import threshold_counts as threshold_counts
    from nets.tangent.linearised import best_linearised_loss as best_linearised_loss
    from nets.tangent.linearised import layer_distances as layer_distances
    from nets.tangent.linearised import linearised as linearised
    from nets.tangent.linearised import tangent_features as tangent_features
    from nets.tangent.linearised import tangent_kernel as tangent_kernel
    from nets.worst_cases.adversaries import WeightStep as WeightStep
    from nets.worst_cases.adversaries import flip_anywhere as flip_anywhere
    from nets.worst_cases.adversaries import flip_layer as flip_layer
    from nets.worst_cases.adversaries import flip_smallest as flip_smallest
    from nets.worst_cases.adversaries import forward_shift as forward_shift
    from nets.worst_cases.adversaries import no_step as no_step
    from nets.worst_cases.adversaries import random_perturbation as random_perturbation
    from nets.worst_cases.adversaries import step_radius as step_radius

# The names above by their modules.
_NAMES = {
    "nets.core.arrays": "Array",
    "nets.data.distances": "DataError normalise_rows separation",
    "nets.data.labelled": "DataSource Dataset",
    "nets.data.points": "ARRANGEMENTS arranged pair_at_distance polygon random_labels separated sphere",
    "nets.descent.training": "Trajectory all_batches descent_step draw_batch sgd_step train",
    "nets.linear_algebra.lowrank": "LowRank outer",
    "nets.linear_algebra.revealed": "RevealedGaussian",
    "nets.networks.activations": "IDENTITY RELU Activation custom_activation huberised_relu leaky_relu scaled_swish",
    "nets.networks.constructors": "ntk_network patch_network plain_network sliding_patches two_layer_network",
    "nets.networks.forward": "Forward forward",
    "nets.networks.fresh": "fresh_forward",
    "nets.networks.function_network": "FunctionNetwork",
    "nets.networks.gradients": "Backward backward gradient_norms loss_gradient output_gradient",
    "nets.networks.log_loss": "logistic_terms",
    "nets.networks.logistic_gradients": "log_gradient_norms logistic_gradient logistic_step",
    "nets.networks.losses": "CROSS_ENTROPY EXPONENTIAL HINGE HUBERISED_HINGE LOGISTIC SQUARE SQUARED_HINGE Loss "
    "OutputLoss empirical_risk power_loss",
    "nets.networks.network": "Layer Network Step balanced_signs gaussian_network gaussian_smooth_network he_network "
    "leaky_network perturbed recurrent_network residual_network revealed_network shifted smooth_network",
    "nets.networks.operators": "flip_counts frobenius_norm gated_gram layer_norms masked_product "
    "masked_product_operator norm_interval operator_norm pairwise_distances sparse_supremum threshold_counts",
    "nets.tangent.linearised": "best_linearised_loss layer_distances linearised tangent_features tangent_kernel",
    "nets.worst_cases.adversaries": "WeightStep flip_anywhere flip_layer flip_smallest forward_shift no_step "
    "random_perturbation step_radius",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:
    __all__ = sorted(_MODULES)

    def __getattr__(name: str) -> Any:
        """What stands under a name of the list, loaded at the first time."""
        if name not in _MODULES:
            raise AttributeError(f"module 'nets' has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})
