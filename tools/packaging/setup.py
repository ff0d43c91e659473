"""Makes the wheel: tools/package puts the built package beside this file."""
from setuptools import Distribution, setup


class Built(Distribution):
    def has_ext_modules(self):
        return True


setup(
    name="sigrel",
    version="0.1.0",
    description="Equation-based modelling with typed signal relations",
    license="MIT",
    packages=["sigrel"],
    package_data={"sigrel": ["*.so", "py.typed", "stdlib/*.sr"]},
    python_requires=">=3.11",
    install_requires=["numpy"],
    distclass=Built,
)
