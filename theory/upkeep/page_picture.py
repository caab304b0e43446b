"""The picture of the page that the documentation shows: the card of a refuted claim, as a browser draws it.

    python -m theory.upkeep.page_picture LEDGER [PLACE]

writes `theory/reports/page/page.png`, or PLACE, from the page of a ledger with headless Chromium; `make picture` does
so with the ledger of the last `make test`.

Main definition: `picture`, the bytes of the file.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from theory.core.guard import SessionError
from theory.reports.page import page

PLACE = Path(__file__).parents[1] / "reports" / "page" / "page.png"

# The claim that is shown, and points across and down.
CLAIM = "chatterji2021:lemma-4.5"
SIZE = (1300, 757)

# Seconds until the view has to be there.
WAITED = 20.0

READY = "return document.querySelector('.claim.on') && document.querySelectorAll('.on [data-p]').length === 0"


class PictureError(SessionError):
    """A picture that cannot be taken; the message is one line."""


def picture(ledger: Any, claim: str = CLAIM) -> bytes:
    """The card of a claim of a ledger as a browser draws it, as PNG.

    Raises `PictureError` where the ledger has no such claim, and where there is no browser.
    """
    if claim not in {entry["id"] for entry in ledger["claims"]}:
        raise PictureError(f"the ledger has no claim {claim}; give one of a whole run")
    lacking = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if lacking:
        raise PictureError(
            f"there is no {' and no '.join(lacking)} here; install Debian's chromium and chromium-driver"
        )
    try:
        from selenium import webdriver
        from selenium.webdriver.support.ui import WebDriverWait
    except ImportError:
        raise PictureError("selenium is not installed; pip install selenium") from None
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "index.html"
        file.write_text(page(ledger, {}), encoding="utf-8")
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            width, height = SIZE
            screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
            driver.get(f"{file.as_uri()}#{claim}")
            WebDriverWait(driver, WAITED).until(lambda found: found.execute_script(READY))
            drawn = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        finally:
            driver.quit()
    return base64.b64decode(drawn["data"])


def main(words: list[str]) -> int:
    """Write the picture; the exit code."""
    if len(words) not in (1, 2):
        print("write a ledger and perhaps a place, as in .cache/ledger/ledger.json page.png", file=sys.stderr)
        return 2
    try:
        drawn = picture(json.loads(Path(words[0]).read_text(encoding="utf-8")))
        (Path(words[1]) if len(words) > 1 else PLACE).write_bytes(drawn)
    except (SessionError, OSError, ValueError) as error:
        print(f"page_picture: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
