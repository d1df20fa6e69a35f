"""How different two colours look: CIEDE2000, to people with normal and with reduced sight.

Matrices: Machado, Oliveira & Fernandes (2009), A physiologically-based model for simulation of
color vision deficiency, doi:10.1109/TVCG.2009.113, at severity 1, applied to linear sRGB.
Difference: Sharma, Wu & Dalal (2005), The CIEDE2000 color-difference formula,
doi:10.1002/col.20070, of whose test data `SHARMA` has some pairs.
"""

import numpy as np

SIGHTS = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}
SHARMA = (
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0009), 7.1792),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
)
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def colour_difference(one, other, sight):
    """CIEDE2000 of two colours such as "#0072b2", as somebody with this sight sees them."""
    return ciede2000(*(_lab(np.clip(SIGHTS[sight] @ _linear(c), 0, 1)) for c in (one, other)))


def ciede2000(one, other):
    """The difference of two colours, each L*, a*, b*."""
    grey = 0.5 * (1 - _weight((np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2))
    a = np.array([one[1], other[1]]) * (1 + grey)
    b = np.array([one[2], other[2]])
    chroma, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    is_grey = chroma.prod() == 0
    turn = 0.0 if is_grey else (hue[1] - hue[0] + 180) % 360 - 180
    middle = hue.sum() if is_grey else (hue[0] + turn / 2) % 360
    light, mean = (one[0] + other[0]) / 2, chroma.mean()
    by_hue = (
        1
        - 0.17 * _cos(middle - 30)
        + 0.24 * _cos(2 * middle)
        + 0.32 * _cos(3 * middle + 6)
        - 0.2 * _cos(4 * middle - 63)
    )
    of_light = (other[0] - one[0]) / (
        1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    )
    of_chroma = (chroma[1] - chroma[0]) / (1 + 0.045 * mean)
    of_hue = 2 * np.sqrt(chroma.prod()) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * mean * by_hue)
    rotation = 60 * np.exp(-(((middle - 275) / 25) ** 2))
    both = -2 * _weight(mean) * np.sin(np.radians(rotation)) * of_chroma * of_hue
    return float(np.sqrt(of_light**2 + of_chroma**2 + of_hue**2 + both))


def _weight(chroma):
    return np.sqrt(chroma**7 / (chroma**7 + 25.0**7))


def _cos(degrees):
    return np.cos(np.radians(degrees))


def _linear(colour):
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _lab(linear):
    ratio = _TO_XYZ @ linear / _WHITE
    step = 6 / 29
    f = np.where(ratio > step**3, np.cbrt(ratio), ratio / (3 * step**2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
