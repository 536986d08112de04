"""What a disk may hold after the power went: replays a journal of tests/faults.cc under a pessimistic model.

A write is sure to be there once its file was synced; before, each of its 512-byte sectors may or may not be. A name (create,
rename, unlink) is sure once its folder was synced; before, the folder's changes may have happened up to any point, in order.
"""
import json
import os
import pathlib
import random

SECTOR = 512


class Disk:
    def __init__(self):
        self.files = {}    # inode -> [durable bytes, pending changes]
        self.names = {}    # path -> inode, as the running program sees it
        self.durable = {}  # path -> inode, as synced
        self.pending = {}  # folder -> [(path, inode or None), …]
        self.folders = set()
        self.said = []

    def change(self, path, inode):
        if inode is None:
            self.names.pop(path, None)
        else:
            self.names[path] = inode
        self.pending.setdefault(os.path.dirname(path), []).append((path, inode))

    def apply(self, step):
        op, path = step["op"], step["path"]
        if op == "say":
            self.said.append(bytes.fromhex(step["data"]).decode())
        elif op == "mkdir":
            self.folders.add(path)  # made durable by its maker before anything is in it
        elif op == "create":
            inode = len(self.files)
            self.files[inode] = [b"", []]
            self.change(path, inode)
        elif op == "write":
            self.files[self.names[path]][1].append((step["at"], bytes.fromhex(step["data"])))
        elif op == "truncate":
            self.files[self.names[path]][1].append((step["at"], None))
        elif op == "rename":
            inode = self.names[path]
            self.change(path, None)
            self.change(step["to"], inode)
        elif op == "unlink":
            if path in self.names:
                self.change(path, None)
        elif op == "sync" and path in self.names:
            content, changes = self.files[self.names[path]]
            self.files[self.names[path]] = [self.apply_changes(content, changes), []]
        elif op == "sync":
            for name, inode in self.pending.pop(path, []):
                self.set_durable(self.durable, name, inode)

    @staticmethod
    def set_durable(names, path, inode):
        if inode is None:
            names.pop(path, None)
        else:
            names[path] = inode

    @staticmethod
    def apply_changes(content, changes):
        for at, data in changes:
            if data is None:
                content = content[:at].ljust(at, b"\0")
            else:
                content = content.ljust(at, b"\0")
                content = content[:at] + data + content[at + len(data):]
        return content

    def after_power_loss(self, chance, keep):
        """{path: bytes} as the disk may come back. keep: the share of unsynced changes that made it."""
        names = dict(self.durable)
        for changes in self.pending.values():
            made_it = chance.randint(0, len(changes)) if 0 < keep < 1 else round(keep * len(changes))
            for path, inode in changes[:made_it]:
                self.set_durable(names, path, inode)
        disk = {}
        for path, inode in names.items():
            content, changes = self.files[inode]
            survived = []
            for at, data in changes:
                if data is None:
                    if chance.random() < keep:
                        survived.append((at, None))
                    continue
                for start in range(0, len(data), SECTOR):
                    if chance.random() < keep:
                        survived.append((at + start, data[start:start + SECTOR]))
            disk[path] = self.apply_changes(content, survived)
        return disk


def read_journal(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def lay_out(disk, root, where):
    """Puts the files of `disk` (paths under root) into the folder `where`."""
    for path, content in disk.items():
        target = pathlib.Path(where) / os.path.relpath(path, root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
