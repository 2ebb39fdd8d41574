# SPDX-License-Identifier: MIT
"""What objects, archives and libraries contain, for any CPU: disassembly, symbols, sections."""

import os
import re
import shutil
import subprocess


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def find_tool(*names):
    return next((found for found in map(shutil.which, names) if found), None)


def objdump():
    """LLVM's reads every CPU; GNU's reads the machine's own."""
    return find_tool("llvm-objdump-22", "llvm-objdump", "llvm-objdump-14", "objdump")


class Instruction:
    def __init__(self, member, form, function, address, mnemonic, operands):
        self.member, self.format, self.function = member, form, function
        self.address, self.mnemonic, self.operands = address, mnemonic, operands

    def __str__(self):
        return f"{self.member}: {self.function}, {self.address}: {self.mnemonic} {self.operands}"


# By ELF machine number: what makes LLVM's disassembler know all instructions.
EVERYTHING = {21: "--mcpu=pwr10", 22: "--mcpu=z16", 183: "--mattr=+all", 243: "--mattr=+v,+zbb,+zvkb", 258: "--mattr=+lsx,+lasx"}


def know_everything(path):
    with open(path, "rb") as f:
        data = f.read(1 << 20)
    start = data.find(b"\x7fELF")
    order = "little" if data[start + 5] == 1 else "big"
    option = EVERYTHING.get(int.from_bytes(data[start + 18:start + 20], order))
    return [option] if option and "llvm" in objdump() else []


def disassemble(path):
    """All instructions; a relocation against a symbol counts as an instruction "call" of that symbol's name."""
    member = form = function = ""
    for line in output(objdump(), "-dr", "--no-show-raw-insn", *know_everything(path), path).splitlines():
        if match := re.match(r"(.*):\s+file format (\S+)", line):
            member, form = member_name(match[1]), match[2]
        elif match := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            if not match[1].startswith(".L"):  # LoongArch's assemblers keep the names of places in a function
                function = match[1]
        elif match := re.match(r"\s*([0-9a-f]+):\s+(R_\w+)\s+(\S+)", line):
            yield Instruction(member, form, function, match[1], "call", re.split(r"[-+]0x", match[3])[0])
        elif match := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            yield Instruction(member, form, function, match[1], match[2], match[3])


def member_name(text):
    """"lib.a(member.o)" or "lib.a:member.o" or "folder/member.o"."""
    match = re.search(r"\(([^()]+)\)$", text)
    return match[1] if match else os.path.basename(text)


class Symbol:
    def __init__(self, member, fields):
        self.member, self.name = member, fields[7].split("@")[0]
        self.type, self.binding, self.visibility, self.section = fields[3], fields[4], fields[5], fields[6]
        self.defined = self.section != "UND"


def symbols(path, dynamic=False):
    member = os.path.basename(path)
    for line in output("readelf", "-W", "--dyn-syms" if dynamic else "-s", path).splitlines():
        if line.startswith("File: "):
            member = member_name(line[6:])
        fields = line.split()
        if len(fields) > 7 and fields[0][:-1].isdigit() and fields[7]:
            yield Symbol(member, fields)


def sections(path):
    """(member, {name: flags}, {number: name}) of every object in an archive, or of the one."""
    found = []
    current = (os.path.basename(path), {}, {})
    for line in output("readelf", "-WS", path).splitlines():
        if line.startswith("File: "):
            current = (member_name(line[6:]), {}, {})
            found.append(current)
        # [Nr] Name Type Address Off Size ES Flg Lk Inf Al
        elif match := re.match(r"\s*\[\s*(\d+)\] (\S+)\s+[A-Z_0-9]+(?:\s+[0-9a-f]+){4}\s+(\D*?)\s+\d", line):
            current[1][match[2]] = match[3]
            current[2][match[1]] = match[2]
    return found or [current]
