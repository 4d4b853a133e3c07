#!/usr/bin/env python3
"""Writes the corpus of //runtime/security:seal_fuzz beside itself: seals, encrypted programs and key files, whole and broken.

The certificate is made anew by each run, so the files change; no private key is kept.
"""

import datetime
import hashlib
import hmac
import pathlib
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = pathlib.Path(__file__).parent
KEY = bytes.fromhex("1" * 64)  # the fuzz target's


def mac(key, text):
    return hmac.new(key, text, "sha256").digest()


def encrypted(program):
    head = b"SYNAPENC" + struct.pack("<I", 1)
    key_id = mac(KEY, b"synap key id")[:16]
    nonce = mac(mac(KEY, b"synap nonce"), head + bytes(12) + key_id + bytes(24) + program)[:12]
    head += nonce + key_id
    text = AESGCM(mac(KEY, b"synap encryption")).encrypt(nonce, program, head)
    return head + text[-16:] + bytes(8) + text[:-16]


def certificate(key):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "corpus")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(datetime.datetime(2000, 1, 1))
    return builder.not_valid_after(datetime.datetime(2100, 1, 1)).sign(key, hashes.SHA256())


def seal(key, der):
    head = b"SYNPSEAL" + struct.pack("<I", 1) + hashlib.sha256(der).digest() + struct.pack("<I", len(der)) + der
    pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=0)
    signature = key.sign(b"synap model 1\0" + head + bytes(4), pss, hashes.SHA256())
    return head + struct.pack("<I", len(signature)) + signature


rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
issued = certificate(rsa_key)
whole_seal = seal(rsa_key, issued.public_bytes(serialization.Encoding.DER))
whole_program = encrypted(b"a program")
CORPUS = {
    "seal": whole_seal,
    "seal_truncated": whole_seal[:-1],
    "seal_longer": whole_seal + bytes(64),
    "seal_huge_certificate": whole_seal[:44] + b"\xff\xff\xff\xff" + whole_seal[48:],
    "seal_other_version": whole_seal[:8] + b"\x02" + whole_seal[9:],
    "seal_bad_certificate": whole_seal[:60] + bytes(40) + whole_seal[100:],
    "program": whole_program,
    "program_truncated": whole_program[:40],
    "program_changed": whole_program[:-1] + b"\0",
    "program_no_zeros": whole_program[:60] + b"\1" + whole_program[61:],
    "certificate.crt": issued.public_bytes(serialization.Encoding.PEM),
    "encryption.key": b"1" * 64 + b"\n",
    "empty": b"",
}

for file_name, content in CORPUS.items():
    (HERE / file_name).write_bytes(content)
