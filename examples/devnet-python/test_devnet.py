"""Tests against a devnet that runs outside of this process.

    npx @keeplight/cli devnet --data network --port 8080 --fixed-accounts
    export KEEPLIGHT_DEVNET_URL=http://127.0.0.1:8086
    python3 -m unittest test_devnet.Store
    # stop the devnet, in any way, and start it again
    python3 -m unittest test_devnet.AfterRestart
"""

import json
import unittest

from devnet import Devnet, Refused, control

NAME = "letter.txt"
CONTENT = "Kept, whatever happens to the process. ✓\n".encode()


class Store(unittest.TestCase):
    def setUp(self):
        self.devnet = Devnet()
        self.addCleanup(control, "DELETE", "/faults")

    def test_a_file_is_read_back(self):
        cid = self.devnet.upload(NAME, CONTENT)
        self.assertEqual(self.devnet.read(cid), CONTENT)
        self.assertIn(cid, [file["cid"] for file in self.devnet.list_files()])

    def test_a_fault_hits_until_it_is_removed(self):
        cid = self.devnet.upload("other.txt", b"other")
        fault = {"service": "gateway", "path": f"/ipfs/{cid}", "action": {"kind": "respond", "status": 503}}
        added = control("POST", "/faults", fault)
        self.assertEqual(control("GET", "/faults"), [{"id": added["id"], **fault}])
        with self.assertRaises(Refused) as refused:
            self.devnet.read(cid)
        self.assertEqual(refused.exception.status, 503)
        control("DELETE", f"/faults/{added['id']}")
        self.assertEqual(control("GET", "/faults"), [])
        self.assertEqual(self.devnet.read(cid), b"other")

    def test_a_fault_that_would_have_no_effect_is_refused(self):
        with self.assertRaises(Refused) as refused:
            control("POST", "/faults", {"service": "gatway", "action": {"kind": "hang"}})
        self.assertEqual(refused.exception.status, 400)
        self.assertEqual(json.loads(refused.exception.body)["code"], "INVALID_OPTION")


class AfterRestart(unittest.TestCase):
    def test_the_account_still_has_its_file(self):
        devnet = Devnet()
        [found] = [file for file in devnet.list_files() if file["fileName"] == NAME]
        self.assertEqual(int(found["fileSizeInBytes"]), len(CONTENT))
        self.assertEqual(devnet.read(found["cid"]), CONTENT)

    def test_faults_are_gone(self):
        self.assertEqual(control("GET", "/faults"), [])


if __name__ == "__main__":
    unittest.main()
