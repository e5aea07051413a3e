"""The physical limit, as a process of its own: hash every file below the folders once, or only look at each.

    python yardstick.py read|mmap|stat FOLDER...

`read` feeds hashlib 256 KiB buffers; `mmap` maps each file; `stat` walks and stats. Without a
folder, what is left is the start.
"""

import os
import sys

BUFFER = 256 * 1024


def files(folder: str):
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from files(entry.path)
            else:
                yield entry


def main() -> None:
    mode, *folders = sys.argv[1:]
    if mode == "stat":
        for folder in folders:
            for entry in files(folder):
                entry.stat(follow_symlinks=False)
        return
    import hashlib
    import mmap

    buffer = bytearray(BUFFER)
    view = memoryview(buffer)
    for folder in folders:
        for entry in files(folder):
            handle = os.open(entry.path, os.O_RDONLY)
            size = os.fstat(handle).st_size
            if mode == "mmap":
                if size:
                    with mmap.mmap(handle, 0, prot=mmap.PROT_READ) as data:
                        hashlib.sha256(data).hexdigest()
            elif size <= BUFFER:
                hashlib.sha256(os.read(handle, BUFFER)).hexdigest()
            else:
                hasher = hashlib.sha256()
                while count := os.readv(handle, [buffer]):
                    hasher.update(view[:count])
                hasher.hexdigest()
            os.close(handle)


if __name__ == "__main__":
    main()
