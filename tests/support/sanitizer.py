"""Whether a binary was built with a sanitizer."""

import re
import subprocess


def sanitizer_runtime(binary):
    """The path of the sanitizer's shared library, which must be preloaded before any other; None
    for a binary without one."""
    libraries = subprocess.run(["ldd", binary], stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"lib[at]san\S* => (\S+)", libraries)
    return found.group(1) if found else None
