# SPDX-License-Identifier: MIT
"""The command as its users meet it: test_cli.py PATH-OF-QUICKSTEP. JSON is tested where the build has it."""
import copy
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

QUICKSTEP = sys.argv.pop()
FEW = ["--sizes", "16,64,1420", "--seconds", "0.8"]


def run(*args, env=None):
    return subprocess.run([QUICKSTEP, *args], capture_output=True, text=True, env={**os.environ, **(env or {})},
                          timeout=120)


HAS_JSON = "jansson" not in run("bench", "--json", "--peers", "none", "--sizes", "1", "--seconds", "0.1").stderr


class Usage(unittest.TestCase):
    def refused(self, *args, env=None):
        r = run(*args, env=env)
        self.assertEqual((r.returncode, r.stdout), (2, ""), args)
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        self.assertRegex(r.stderr, r"^quickstep( \w+)?: .{10,}\n$")

    def test_bad_options(self):
        for args in ([], ["nonsense"], ["--nonsense"], ["cpu", "--nonsense"], ["cpu", "more"], ["selftest", "--x"],
                     ["selftest", "more"], ["random", "more"], ["random", "--nonsense"], ["random", "-n"],
                     ["random", "-n", ""], ["random", "-n", "-1"], ["random", "-n", "1x"], ["random", "-n", "1KK"],
                     ["random", "-n", "9000000T"], ["random", "-n", "99999999999999999999"], ["bench", "--nonsense"], ["bench", "nonsense"], ["bench", "packets", "esp"],
                     ["bench", "--seconds"], ["bench", "--seconds", "x"], ["bench", "--seconds", "0"],
                     ["bench", "--seconds", "-1"], ["bench", "--seconds", "nan"], ["bench", "--seconds", "3x"],
                     ["bench", "--sizes", ""], ["bench", "--sizes", "1,"], ["bench", "--sizes", "-1"],
                     ["bench", "--sizes", "1,x"], ["bench", "--sizes", "16777217"], ["bench", "--rows", "some"],
                     ["bench", "--sizes", "99999999999999999999"], ["bench", "--level", "nonsense"],
                     ["bench", "--peers", "nonsense"], ["bench", "--peers", "openss"], ["bench", "--peers", "openssl,"],
                     ["bench", "--json", "--csv"], ["bench", "--plot", "file.pdf"], ["bench", "--plot", "it's.svg"],
                     ["bench", "--compare", "/nonexistent.json"]):
            with self.subTest(args=args):
                self.refused(*args)

    def test_bad_level_in_the_environment(self):
        for command in ("cpu", "selftest", "random", "bench"):
            self.refused(command, env={"QUICKSTEP_CPU": "nonsense"})

    def test_help_and_version(self):
        for args in (["--help"], ["cpu", "--help"], ["selftest", "--help"], ["random", "--help"], ["bench", "--help"]):
            r = run(*args)
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            self.assertIn("Usage: quickstep", r.stdout)
        self.assertRegex(run("--version").stdout, r"^quickstep \d+\.\d+\.\d+\n$")


    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            for args in (["cpu"], ["random"], ["bench", "--csv", *FEW]):
                r = subprocess.run([QUICKSTEP, *args], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(r.returncode, 1)
                self.assertIn("cannot write", r.stderr)


class Machine(unittest.TestCase):
    def test_cpu(self):
        r = run("cpu", env={"QUICKSTEP_CPU": "generic"})
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        rows = [line.split() for line in r.stdout.split("kernels, best first\n")[1].splitlines()]
        for primitive in ("chacha", "poly1305"):
            chosen = [row for row in rows if row[0] == primitive and row[2] == "CHOSEN"]
            self.assertEqual(len(chosen), 1)
            self.assertEqual(chosen[0][-2:], ["needs", "nothing"])  # only such are left at that level

    def test_selftest(self):
        r = run("selftest")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        lines = r.stdout.splitlines()
        self.assertGreater(len(lines), 10)
        self.assertTrue(all(line.endswith(" pass") for line in lines), r.stdout)
        rows = [line.split()[:3] for line in run("cpu").stdout.split("best first\n")[1].splitlines()]
        for primitive, row, state in rows:
            if state != "missing":
                self.assertTrue(any(line.split()[:2] == [primitive, row] for line in lines), row)


class Random(unittest.TestCase):
    def bytes(self, *args):
        r = subprocess.run([QUICKSTEP, "random", *args], capture_output=True, timeout=120)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        return r.stdout

    def test_count(self):
        for text, count in (("0", 0), ("1", 1), ("65535", 65535), ("65537", 65537), ("3K", 3072), ("2M", 2 << 20)):
            self.assertEqual(len(self.bytes("-n", text)), count)

    def test_hex(self):
        self.assertRegex(self.bytes("-n", "32", "--hex"), rb"^[0-9a-f]{64}\n$")
        self.assertRegex(self.bytes("-n", "70000", "--hex"), rb"^([0-9a-f]{64}\n){2187}[0-9a-f]{32}\n$")
        self.assertEqual(self.bytes("-n", "0", "--hex"), b"")

    def test_bytes(self):
        # Pairs of bytes: of a million each comes 15 times on average, never more than 60 times, and few do not come.
        data = self.bytes("-n", "2000000")
        counts = {}
        for i in range(0, len(data), 2):
            counts[data[i:i + 2]] = counts.get(data[i:i + 2], 0) + 1
        self.assertGreater(len(counts), 65500)
        self.assertLess(max(counts.values()), 60)
        self.assertNotEqual(self.bytes("-n", "16"), self.bytes("-n", "16"))

    def test_without_end(self):
        for args in ([], ["--hex"]):
            p = subprocess.Popen([QUICKSTEP, "random", *args], stdout=subprocess.PIPE)
            self.assertEqual(len(p.stdout.read(1 << 20)), 1 << 20)
            p.stdout.close()
            self.assertEqual(p.wait(timeout=10), -signal.SIGPIPE)


class Bench(unittest.TestCase):
    def test_table_and_bound(self):
        start = time.monotonic()
        r = run("bench", "--seconds", "3")
        self.assertLess(time.monotonic() - start, 10)  # of 3, on a machine that may be busy
        self.assertEqual((r.returncode, r.stderr), (0, ""))  # no progress where stderr is no terminal
        for word in ("encrypt: MB/s", "decrypt: cycles per call", "decrypt: cycles per byte", "1440 B", "GHz"):
            self.assertIn(word, r.stdout)
        self.assertLessEqual(max(map(len, r.stdout.splitlines())), 120)

    def test_profiles(self):
        for profile in ("packets", "esp", "aead", "stream", "mac", "batch", "sweep", "bulk", "threads", "random",
                        "random-threads"):
            r = run("bench", profile, "--sizes", "64,256", "--seconds", "1.5", "--peers", "none")
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            figures = [line for line in r.stdout.splitlines() if line.startswith("quickstep  ")]
            self.assertTrue(figures)
            self.assertTrue(all(line.split()[1].rstrip("*")[0].isdigit() for line in figures), r.stdout)

    def test_random(self):
        r = run("bench", "random", "--seconds", "1", "--sizes", "4,64")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        for peer in ("vdso", "getrandom", "getentropy", "arc4random", "openssl", "libsodium"):
            self.assertRegex(r.stdout, rf"\n  {peer} +(absent: |[0-9a-zA-Z])")
        self.assertNotIn("nettle", r.stdout)
        self.assertRegex(r.stdout, r"\ngetrandom +\d")
        r = run("bench", "random", "--seconds", "1", "--peers", "none")
        self.assertRegex(r.stdout, r"\n25 million calls.*: ns per call\n.*\nquickstep +[-\d]")
        r = run("bench", "packets", "--peers", "getrandom", *FEW)
        self.assertNotIn("getrandom  ", r.stdout)

    def test_rows_and_level(self):
        r = run("bench", "--rows", "all", "--level", "generic", "--peers", "none", *FEW)
        self.assertIn("held to generic", r.stdout)
        self.assertIn("poly1305 generic32", r.stdout)

    def test_peers_listed(self):
        r = run("bench", *FEW)
        for peer in ("ipsec-mb", "openssl", "boringssl", "libgcrypt", "libsodium", "nettle", "wolfssl"):
            self.assertRegex(r.stdout, rf"\n  {peer} +(absent: |[0-9A-Z])")
        r = run("bench", "--peers", "openssl,nettle", *FEW)
        self.assertIn("nettle", r.stdout)
        self.assertNotIn("libsodium", r.stdout)

    def test_csv(self):
        r = run("bench", "--csv", *FEW)
        rows = list(csv.reader(io.StringIO(r.stdout)))
        self.assertEqual(rows[0][:5], ["profile", "group", "column", "bytes", "ad"])
        self.assertTrue(all(len(row) == len(rows[0]) for row in rows))
        ours = [row for row in rows if row[8] == "quickstep"]
        self.assertEqual([row[3] for row in ours], ["16", "64", "1420"] * 2)
        self.assertTrue(all(float(x) > 0 for row in ours for x in row[10:15]))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_plot(self):
        with tempfile.TemporaryDirectory() as d:
            for name, begins in (("a.svg", b"<?xml"), ("a.png", b"\x89PNG")):
                path = os.path.join(d, name)
                self.assertEqual(run("bench", "--plot", path, *FEW).stderr, "")
                with open(path, "rb") as f:
                    self.assertTrue(f.read().startswith(begins))
            r = run("bench", "--plot", os.path.join(d, "none", "a.svg"), *FEW)
            self.assertEqual(r.returncode, 1)
            self.assertIn("gnuplot failed", r.stderr)

    def test_interrupt(self):
        p = subprocess.Popen([QUICKSTEP, "bench", "--peers", "none", "--seconds", "60"], stdout=subprocess.PIPE,
                             text=True)
        time.sleep(1)
        p.send_signal(signal.SIGINT)
        out, _ = p.communicate(timeout=10)
        self.assertEqual(p.returncode, 130)
        self.assertIn("interrupted", out)
        self.assertRegex(out, r"\nquickstep +\d")


@unittest.skipUnless(HAS_JSON, "built without JSON")
class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = run("bench", "--json", *FEW).stdout
        cls.old = json.loads(cls.text)

    def compare(self, now):
        with tempfile.TemporaryDirectory() as d:
            for name, content in (("old.json", self.old), ("now.json", now)):
                with open(os.path.join(d, name), "w") as f:
                    json.dump(content, f)
            return run("bench", "--compare", os.path.join(d, "old.json"), os.path.join(d, "now.json"))

    def test_shape(self):
        j = self.old
        self.assertEqual(j["quickstep_bench"], 1)
        self.assertEqual(j["profile"], "packets")
        self.assertGreater(j["cpu"]["ghz"], 0)
        measured = {line["name"] for line in j["lines"] if line["state"] == "measured"}
        self.assertIn("quickstep", measured)
        self.assertEqual({r["line"] for r in j["results"]}, measured)
        for r in j["results"]:
            self.assertLessEqual(r["ns"], r["ns_median"])
            self.assertAlmostEqual(r["ns"], min(r["ns_minima"]), delta=r["ns"] * 1e-4)
            self.assertAlmostEqual(r["cycles"], r["ns"] * j["cpu"]["ghz"], delta=r["cycles"] * 1e-3)
            self.assertAlmostEqual(r["mb_per_s"], r["bytes"] / r["ns"] * 1e3, delta=r["mb_per_s"] * 1e-3)

    def test_compare(self):
        self.assertEqual(self.compare(self.old).returncode, 0)
        slow = copy.deepcopy(self.old)
        for r in slow["results"]:
            if r["line"] == "quickstep" and r["bytes"] == 64:
                r["cycles"] *= 1.3
        r = self.compare(slow)
        self.assertEqual(r.returncode, 1)
        self.assertEqual(r.stdout.count("SLOWER"), 2)

    def test_compare_what_cannot_be(self):
        other = copy.deepcopy(self.old)
        other["results"] = []
        self.assertEqual(self.compare(other).returncode, 2)
        other["quickstep_bench"] = 2
        self.assertEqual(self.compare(other).returncode, 2)


if __name__ == "__main__":
    unittest.main()
