"""The pictures of some folders, opened with care: a small file may be a picture of a thousand megapixels."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from homeagent_sdk import ToolContext, ToolError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["OcrSettings", "open_picture"]

_LARGEST: Final = 64 * 1024 * 1024
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")


@dataclass(frozen=True)
class OcrSettings:
    """Which pictures are read, and how sure the reader must be."""

    folders: Annotated[tuple[str, ...], "the folders whose pictures may be read"] = ("~/Pictures",)
    least_score: Annotated[float, "how sure the reader must be of a line, 0 to 1"] = 0.5
    most_megapixels: Annotated[int, "larger pictures are not read"] = 40

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        for folder in self.folders:
            if not Path(folder).expanduser().is_absolute():
                raise ValueError(f"folders: {folder!r} is relative; write it from / or ~ on")
        if not 0 <= self.least_score <= 1:
            raise ValueError(f"least_score: {self.least_score} is not between 0 and 1")


def open_picture(context: ToolContext, path: str) -> Image:
    """Return a picture of one of the folders, upright and in colours. Raises ``ToolError``."""
    # Late: the process that runs cleaners needs no pictures.
    from PIL import Image, ImageOps, UnidentifiedImageError

    settings = context.settings(OcrSettings)
    file = _found(path, [context.data_folder, *(Path(each).expanduser() for each in settings.folders)])
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            if os.fstat(stream.fileno()).st_size > _LARGEST:
                raise ToolError("path", f"{path} is larger than {_LARGEST:,} bytes", "Use a smaller picture")
            with warnings.catch_warnings(), Image.open(stream, formats=_FORMATS) as picture:
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                width, height = picture.size
                if width * height > settings.most_megapixels * 1_000_000:
                    reason = f"{path} has {width} x {height} pixels"
                    raise ToolError("path", reason, f"At most {settings.most_megapixels} megapixels are read")
                return ImageOps.exif_transpose(_on_white(picture)).convert("RGB")
    except PermissionError:
        hint = f'Name its folder in the plugin\'s manifest: permissions = ["read:{file.parent}"], and install it again'
        raise ToolError("path", f"{path} may not be read", hint) from None
    except UnidentifiedImageError:
        raise ToolError("path", f"{path} is no picture", f"It reads {', '.join(_FORMATS)}") from None
    except Image.DecompressionBombError as error:
        raise ToolError("path", str(error), "Use a smaller picture") from None
    except (OSError, ValueError, SyntaxError) as error:  # what Pillow says of a damaged picture
        raise ToolError("path", f"{path} can't be read ({error})", "Look whether it is damaged") from None


def _found(path: str, folders: list[Path]) -> Path:
    for folder in folders:
        try:
            root = folder.resolve()
            real = (root / Path(path).expanduser()).resolve()
            if real.is_relative_to(root) and real.is_file():
                return real
        except (OSError, ValueError, RuntimeError):
            continue
    names = ", ".join(map(str, folders[1:]))
    raise ToolError("path", f"there is no picture {path} in the folders that may be read", f"They are {names}")


def _on_white(picture: Image) -> Image:
    """Return a picture without see-through parts: black letters on nothing would be black on black."""
    from PIL import Image

    if "A" not in picture.getbands() and "transparency" not in picture.info:
        picture.load()
        return picture
    above = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", above.size, "white"), above)
