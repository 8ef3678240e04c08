CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE fund (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    fund_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    network TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    paused_cause TEXT,
    public_key BLOB,
    sealed_private_key BLOB,
    chain_identifier TEXT,
    epoch TEXT
  , mode TEXT NOT NULL DEFAULT 'coin', policy TEXT, sponsorship_fee_atoms TEXT NOT NULL DEFAULT '0', low_balance_atoms TEXT, low INTEGER NOT NULL DEFAULT 0, seen_at_ms INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE coin (
    object_id TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    digest TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    state TEXT NOT NULL,
    holder TEXT
  , maintenance INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE sponsorship (
    digest TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    transaction_bytes BLOB NOT NULL,
    sender TEXT NOT NULL,
    key_id TEXT NOT NULL,
    gas_object_id TEXT NOT NULL,
    gas_budget_mist TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged_mist TEXT
  , signed_at_ms INTEGER, fee_mist TEXT NOT NULL DEFAULT '0', rebate_mist TEXT, maintenance_mist TEXT, max_storage_mist TEXT, since_checkpoint TEXT) STRICT;
CREATE TABLE own_transaction (
    digest TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    transaction_bytes BLOB NOT NULL,
    gas_object_id TEXT NOT NULL,
    expiration_epoch TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    resends INTEGER NOT NULL,
    created_mist TEXT NOT NULL
  , purpose TEXT NOT NULL DEFAULT 'split', gas_budget_mist TEXT NOT NULL DEFAULT '0', inputs TEXT NOT NULL DEFAULT '', redeemed_mist TEXT NOT NULL DEFAULT '0', sweeps INTEGER NOT NULL DEFAULT 0, paid_out_mist TEXT NOT NULL DEFAULT '0', collected_fees_mist TEXT NOT NULL DEFAULT '0', since_checkpoint TEXT) STRICT;
CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    balance_atoms TEXT NOT NULL,
    in_flight_atoms TEXT NOT NULL, address_balance_atoms TEXT NOT NULL DEFAULT '0', accrued_fees_atoms TEXT NOT NULL DEFAULT '0', key_id TEXT) STRICT;
CREATE TABLE due (
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, reference)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE totals (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    balance_atoms TEXT NOT NULL,
    address_balance_atoms TEXT NOT NULL,
    in_flight_atoms TEXT NOT NULL,
    accrued_fees_atoms TEXT NOT NULL,
    nonce INTEGER NOT NULL
  ) STRICT;
CREATE TABLE usage (
    scope TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    in_flight_count INTEGER NOT NULL,
    in_flight_atoms TEXT NOT NULL,
    spent_atoms TEXT NOT NULL,
    abandon_cost_atoms TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE revoked_key (key_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
    scope TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    reference TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE aptos_sponsorship (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sender TEXT NOT NULL,
    sequence_number TEXT NOT NULL,
    raw_transaction BLOB NOT NULL,
    secondary_addresses TEXT NOT NULL,
    authenticators TEXT,
    hash TEXT,
    key_id TEXT NOT NULL,
    gas_budget TEXT NOT NULL,
    fee TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged TEXT,
    rebate TEXT,
    committed_version TEXT,
    resends INTEGER NOT NULL
  ) STRICT;
CREATE TABLE aptos_own_transaction (
    hash TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    sequence_number TEXT NOT NULL,
    signed_transaction BLOB NOT NULL,
    gas_budget TEXT NOT NULL,
    amount TEXT NOT NULL,
    collected_fees TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    charged TEXT,
    committed_version TEXT,
    resends INTEGER NOT NULL
  ) STRICT;
CREATE TABLE aptos_compared (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version TEXT NOT NULL
  ) STRICT;
CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
CREATE TABLE outbox_dropped (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    total INTEGER NOT NULL
  ) STRICT;
CREATE TABLE listeners (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version INTEGER NOT NULL,
    types TEXT NOT NULL
  ) STRICT;
CREATE TABLE sender_usage (
    day INTEGER NOT NULL,
    sender TEXT NOT NULL,
    key_id TEXT NOT NULL,
    spent_atoms INTEGER NOT NULL,
    stopped INTEGER NOT NULL,
    PRIMARY KEY (day, sender, key_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE party_coin (
    object_id TEXT PRIMARY KEY,
    start_version TEXT NOT NULL,
    balance_mist TEXT NOT NULL,
    tries INTEGER NOT NULL,
    holder TEXT
  ) STRICT, WITHOUT ROWID;
CREATE TABLE kept_answer (
    digest TEXT PRIMARY KEY,
    execution BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;
CREATE TABLE spent_bytes (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    emptied_up_to INTEGER NOT NULL
  ) STRICT;
CREATE TABLE conversions (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    failures INTEGER NOT NULL,
    failing_since_ms INTEGER,
    cause TEXT,
    told_cause TEXT,
    told_at_ms INTEGER
  ) STRICT;
CREATE TABLE doubt (
    id TEXT PRIMARY KEY,
    booked TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    booked_by_ms INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    missed_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
CREATE TABLE doubt_progress (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    chain_ms INTEGER NOT NULL,
    looked_for_after TEXT NOT NULL
  ) STRICT;
CREATE TABLE aptos_used_sequence (
    reference TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    time_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    said_again INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (5);
INSERT INTO fund (only_row, fund_id, project_id, network, name, created_at_ms, paused_cause, public_key, sealed_private_key, chain_identifier, epoch, mode, policy, sponsorship_fee_atoms, low_balance_atoms, low, seen_at_ms) VALUES (1, 'fund_f9c4f826806bdd4ac5ac', 'prj_edcaf6b4eb006f26a2ac', 'SUI_LOCALNET', 'fixture''s fund', 4102444804238, NULL, X'33bcc79a47be93e548c23e283650d231cc58f9f58387bb1cfd09a16e0878f8dd', X'01010458a6f96d7a29041b90bef54261867b8113c9115174b7b63efd8d9822a95ad1cc25c2322b232ab30bc53b4f4a718eb281d3f3e264d90682c9c39d7f19672ce431dfdf43d976e4e7e84ecd767c88429691766b1c437f825dc34ddd7ead937f3e0c90c8bd662698e5a6e56123', '2A6nRsqMJem7dWp27LgAJmkJFve8duaorworCx7ZLUQ8', '0', 'coin', '{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null}', '1000', '1000000000', 0, 4102444808262);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0079f82a7df9a86170312636ccee51d503ab8e2887cbe569ff1a4f16d6a54c17', '18446744073709551615', '', '00000000000000000000', 'gone', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x00f54a95021c1fe73b109ccabba7799e0198215e7296a4d1a32beaf5e14b87c0', '00000000000000000004', 'DJJCREeuUJjR2gqUgbHUzG5DcNHJmRPySCfiXnXEYVDd', '00000000000010000000', 'quarantined', 'FqwgmzSR4iSFrpBVGgmfDYehraavJ676LJWrniDGNjCj', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84', '00000000000000000008', 'AMqodJRh2KfNBEqiwz2aN3PzSbLat2eypBuUJhLXbxnp', '00000000000007629720', 'recycling', 'HW9gb6Bn4nGpxrm8eW2QoVSUDUuFaZCMBzmQZwkkYcsw', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0430f83da7eb91567edb45bd9c236317bd270747d53b0b858526ef93508c3031', '00000000000000000006', 'AzJA3bx75JKHpRqKYGVj5JRqhKs4BnqTVvnopEupvQ6X', '00000000001623648800', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x04c833a6925d554c75480525d3f59183bcd1b0274f01ef7fdba20209117f13be', '00000000000000000004', '4omr3B54bSrei6ofGoSE5T4Q9BUDcyiMGPCxv9gordeH', '00000000000010000000', 'held', '6zhnCwwgAWQxMu8bCrjJ9mAGmKx3SLUN9cwU7Pc5SFd8', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x087b918815b589746aa4cd229121402e60d8226dcacd4c4642978f7353721e03', '00000000000000000004', 'MtcosAwBNP4CRpW4e7fdHQ7DpxnE8Wnwhk649AL4Utd', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x08b6bdfc0f923ca8802a241d82975517f69886aae9afa839b80ee73997fe89b9', '00000000000000000004', 'BPvfon62EdQrSGye3QoDxygJTEpocxDwFMsEVNyoptUq', '00000000000010000000', 'held', 'AQNkCB5Qjeerga48SqAx6YgfSmVnbgczssdwcDJ72t8g', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0a0a9d38a32dfb62f0f8e3c69e1993c1311146fe6598f6855f81d755583e6ce4', '00000000000000000004', '7N5GRq53PN9Ec1wqfdRWVuCssj8tZ7etPYwQtFYca8Cn', '00000000000010000000', 'held', '5r3gPSTikDN3SmgqSg8ZTnvvK4BC6r4WbSKknhL2nHpR', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0e2e3ed124b24123834e50f7c0c1116cd8b13c5aa142b1f5eec3ad30b6b98077', '00000000000000000004', '86LZWMtmkxaHcuNrxfGfkBFpJcVtbWVqnUs4WSErJkib', '00000000000000000000', 'gone', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x11ae538f4454de1fd2e0fbb6950d69e3f3843427aaf61b4bb39ff19f1bbe8337', '00000000000000000008', 'J7vzN8XeXjBYrN5y3oXMGc2B1LDEXAmuYGS5qBTmTb2m', '00000000000068948480', 'spending', '4pvoV6CLff4VkJWVGAKJWpN7rrGWJSdP6gorrGdsW97g', 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x13b7cc5800dd791094758335e8c35b8629371d31ad3f4daf2361e17b16f4adcb', '00000000000000000004', '4LF4rGTegtvvbTBiznELpg9JUNpwBaai9TSB1co7tJQr', '00000000000010000000', 'held', 'By8nR4nByYbMN7mtkyq7p1vKg4721f7ZkmFXZbdxa7Fu', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x158fdf3cac268626a240b0f5feea661a746e517b4643914e6767260ef5549855', '00000000000000000004', '36UQjXiAgJiRZjfaWJR4LTR873qYZXvQn7uF2gffnyd4', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x176b6b90b684d721a0c158a98262384046e5ad0db0696486963eb0d442653f20', '00000000000000000004', '7WraUNDGQ1TiCREsuRxd4YWmsWgNUiXdZZGxgH3JNpSw', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x188901f91497ecbe7adf6a2a664d57f0a45cb2c539d74c971e417c359b30e5b1', '00000000000000000004', 'EQYKczLfKNoPnkjyUaaqD36YwbYMKwFTiKjTjS8TZKvP', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x19386eee5bdab7012e45f00251af59e42fe96415914e93b786bfebf2f418255d', '00000000000000000004', '4jkibnMt1YH7c2ytna76A6Nb8kehuWrgj91QAa4CoRUK', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1c395c6f1eb7fea5a61b9c104fb64c7f82b96561c6fb52758f710d2923493fd1', '00000000000000000004', '8BPHjp9f63V23QKJqcmkqHgtDh9nTp3qttRUhziS7qFT', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1e2834fbb13b471190f761c600d0ed71d5effb8f775e15870b62b4c9fe1661a0', '00000000000000000004', '6ZB7YTV7zszGKqaqzp6Rsji8oyjALxK4G4DzHtfBde89', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x228a826045ddb3f05f19c9c5bf5b1901207a9c8b530094ad757df41f65d09303', '00000000000000000004', '5amgRVRE71LGiCV4JsUFSYKjfsffefv5TXSz8m4rGnym', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x24fc64d59420b89654a888c7fb6fb577e26020a2a57f574dbe9ff3b76ae08f16', '00000000000000000004', 'HkDggR9TknjxoH5uyUMNGhJwoJnsKSfHpWZeSRVRihGW', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2601200ed2e08f1098feb9c05a2aece19affd6f3513e3cc277280ae37501e279', '00000000000000000003', 'FGAhJaSwiW3PXnDv88E2BxD23Xfkxmmhr9MDGermXECy', '00000000000050000000', 'free', NULL, 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2782f8263233c8c846034e12f9d80054bb8a18e0711a9fe2264c870ec0f14f47', '00000000000000000004', 'BidPzwcs58DP1fowTc9nA9KYE7RbL4NVVj2AdtgCnEwh', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2c99c80ae822b46198b019c0a1558c5f76a0ee7b30b92c1dc10180a5d80c5fbf', '00000000000000000004', '59CAyKrRVfQ6bhR89yhvYnsnjXJUPSP1jS8svVHjy6uE', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2f24a832a350170c4403fc65b9f9b6b20afcc327ab38b92106512d0c457a724f', '00000000000000000004', '5xUMBUPk8gDYwBpCqQp5VYWSCkC19Q4kVBi6rsAajmHa', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x3116dd90161801f25318cc8e9c27d854d1d2e10e2a059f3a3fe7e2a8876ef3af', '00000000000000000005', 'AxgDUe9AmibuHhVTtj4UCGrwuKBM66ncmiTq7aC6rPmr', '00000000000443760240', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x321f6d6c2ac807b23d5aa871495df602bd9c5711de21622944a90a153059be31', '00000000000000000004', 'BUn3SGmPgFWByqjJwWXNCbzX5jmHxuwjANXayiK7kTYE', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x347159861892a62403f8811755f65d7c572f435710d12c235ba73dd723d43d8c', '00000000000000000004', 'BsfniBMU47Nn8a9uecXjbYbvPbkUPCrMg1mSD11FVy8y', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x360ed7fcfb9b876edfa9b155d89a1b84f1404abb20930042b6cdc6c6413b5a99', '00000000000000000004', '4CmPkHZqesnN2Ch16zevLoS4VySnrwGjDchSi118pSgT', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x373835d87f1121bdef313a06963c811863ac9b7cc68269b3c1da57285b59e240', '00000000000000000004', '5Dbi65urjjd6ToiiWHrqbJAu6j7k2nvzSgUbwb9NSQ3g', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x37f191eb969ea0c82159bb85beb236e9baa6fce44b096e5508265518061c7e0d', '00000000000000000004', '83WhmrnNikcVDFSbM1LdQ1vRZoyMFYKNB2k4MbBum64d', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x382dcf1df3e2e5f1db91d6ecb3dd39146c696b8a29fdfc05703750bf2e687fbc', '00000000000000000004', 'HjoNeVNahT8pZ6jRjAjStgxgjHKdTivT7cu3vRgSTSEA', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x3c541a030f1db03ef3038d08ecce08a6c21fb55280c0b81c7e87235e692ec6cd', '00000000000000000004', 'EcPLcxbik45tuh5FpaaLhGLnCHEAKvAfk9yRJUEtxboa', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4372c8aea1db6db00fd327a64dcb35c9ff4bca76489606cf3bf48da962aaa82f', '00000000000000000004', '4u6SxZHJoxx6RE2h5tWsQtU9g9MTVFtiuu2vYDJXVjUL', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4386c2c86067f2e6f3fd3a42d0b2c8cc9ea23f23f648bf11accca832f155d93b', '00000000000000000004', 'CcpsyB37huWHLgV7Dd2MQnw2vYWw7w5CK9Gx3rfuY1fY', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x43887365cf97d23eae3b53ab34a8a465ac343ecff85a024f120f9306ec809158', '00000000000000000004', '6CPzrvP1Fb3dhWrxhaYDbTkemAZB7qRGoxEHGmvNFyxF', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x44a6ddbc7a774ad87e613e05dcdc9bff9947612fb7f5b47a950eb25e4d88df07', '00000000000000000004', '38oQm66gwUVwEVvwp82jn7BYpWFfvzhNsTMTsFqEYT8F', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x471e603fcd1631e972294ee183937d31cb05520de1b8dfbdb7c94d63dbe5f026', '00000000000000000004', '91G24nB65ojx653suiN4rtMj4dgNW7xj8gdoxMcXMeSr', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x539c5061aa120353a7ce157345d8da35f6edccd2f5e35fed7c6f6af29b5c0654', '00000000000000000004', 'Btiy1tPpsb6BFjd7iUdNtCCHSFhkJXKFWRko5GdxKWQL', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x559414e32a143ca771e343ff51427928106e0c5ceefc0b6cfd6880c43acd4dc9', '00000000000000000004', '4iWVZJN6vJ2udFtqBwXf3Jo5G6HRoeQJqbDt4uQpHoa6', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5739bb4cbac1e51f6138b6ea628655a4c43af65aa59ef0a8f321fcd9d9123ad2', '00000000000000000004', 'G6QN7CNwH55rHBdmZz3hEsrZCfd6uvztHiseDGfh4ShN', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5a550f610129b9d3c0bacad5cbb478fe94d6a765be4273c73ca35d8e05429c67', '00000000000000000004', 'FGwwxcf4SH1APYZbRiSuAyGguJvMmunpGgiGvfnApkKk', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6175c934187a56beccadb29b7ef4ddcacbe1a0e877eaa6184b58c70b1ec61162', '00000000000000000004', 'BL5F25S2eGC3mX2oQb7CQzBUP88GmfVFQVspo3RAEw3d', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x66afa06106367f01831554bcab5a22bf96b8a2d768a6ba82d5e3751ad46b8c34', '00000000000000000004', '3c4rtr8TgfwiAb9hBKmB7BEbwLwBe1SNQMWywEfgqkDh', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x67fe0714754a467c5cd19e1668d33427cb019441aad3f7cd161c07533e873e85', '00000000000000000004', 'Eg6nKGeJQgFd54j2Jn7mBYHVSTQ7TppYS9aH4ESNN2L4', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6985dc791ff5abd02de2cc4b24f9c2bca04bf8810cdc886854d9c0f61f46b2f9', '00000000000000000004', '4UdMdj5WjcyBREjmJ7FhnNxj9KvpeUCMeiTTxxQpxWcN', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6a5ff5c9f9af41058da63f23befe40a9dbb6b2d045670c3010e5fc2f8babcf63', '00000000000000000004', '5ZCURSqd6pN57FaWoUXctNtoZBpyyX6phHzJZB4qj4fW', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6e060edc95581eddc76045b01b214cc608f13e7811bccca8a5425b14f3983366', '00000000000000000004', '9nUTkETS2TLpQrMomGoGiTui5PQjvf33qtwh6q6tEdyn', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6edfb308dc302b3a0fcadc0840b3df0925b01d51b1a4c14ad9dfa6cb70df4b10', '00000000000000000004', 'F7HLkAkZQd9VG5bmafXNPcFScG4q8cxJQCuMGrfi9atN', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x70a95b7eec50af1ece636907188b581fb5d3ae10d903b04f995c576f4ccbf988', '00000000000000000004', '4y6uuMn9VGdmvE1BNc99feJvZTM45cXXFzUbF7K7PX1m', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x731f0fd5a658299a2cfae3ba0c1842f6d0cd1acff6abfaa447df13a94bb84e92', '00000000000000000004', '4HRF9aj9A64BQVPLVAXzaDyByStfNWcLZZZRnERPQJdw', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x7504a73db57c3aa042f6c71d4c1e9705651442de4ae2a1c19f288a2d238cdc0b', '00000000000000000004', 'GEMRundX5rzxYVo8kquUuQDaAEp9NHDoXdsQC8J14BJm', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x77fdbe52af198944e671eb77a5085d31832504676aa6c8e13dff84319190fdf7', '00000000000000000004', '6hA3Poduc8DyxNXaJVXNYDkq9sJDpvHoChYQe2dM2QsQ', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x7da469182c33a756e054d21f48475134af56dfb21a6971dd30ab79f6c8129aba', '00000000000000000003', '88ekWs8pByd6WPuHSkxYLPyiAYrn98DYhtm1PWzoYg3H', '00000000000050000000', 'free', NULL, 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x7eca172901d28e863fbce5c51fd90513bfb36c561b70dc0c81628716e4f44d4e', '00000000000000000004', '8iuqBmXYP5v4UuH28XB9FiQS9dqNBXduEFy8Qa9zagW1', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x810650508004d7b1d7f6512a82f95798e0a1073b96407265089017316e0324c4', '00000000000000000004', '8L1zQC2gjhH2E97SbJgMeBTwCiTnxY5kPtQJD9a7sfCc', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8736b7e820afe59da7b711b808a5860fdf46a90b4565cfc1d7748ebd0a85b4f6', '00000000000000000007', 'GNry4QgapaSwXXqemVAZ6qmWb6Pc2nvdt5M1sY1XZvaQ', '00000000020000000000', 'spending', '7Z5tewjTJY13gv5TZgF3shBtz1f1c8QEdbnx2eXr8rZh', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8c9cf4db391a5f5a2de8bc5105a7b6903376b2168ea6f5c1a0bffcb99abbcd72', '00000000000000000004', '2kJQ3wQRMZK7nTLxEEtD3WMv6PMf4QckqRKcALbZ2Hi8', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8daefc5aa985c1b5e9604e798bde6c923f68217f0dec381a654f7259d50f0d75', '00000000000000000004', 'ETuuukgHHaEEYCrnmvTWsYJgD8HL7fB8WWYtd5gf1BvU', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x90fbbff43e799351c553dc7f62927d267741d70569a9b359dd5548ddaa151c2e', '00000000000000000004', '8SwqJrudADc8GL6eXf9m6gzjQNdkvQUvomib7VpjooLB', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9155726d59473bec0cfaf621f670966cc8b706e93d412a65dab85a86fe8a9ddb', '00000000000000000004', 'G2QBujcF9vDaxLHvLBTHe9vCSxdzyDk6GQTjPpLaEJpA', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9172a12a941c0dfd57480b2208d1583425f4d065ae39da52656db9788ae0b014', '00000000000000000004', 'CvuJ9urJGH7BfBmertQA78y9btAiZX2dRXsm6y2j2eLC', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x978955fb0f57b50b11705e6943d8f6f679265f01f88e219065253166c8fd5d35', '00000000000000000004', 'CuaKLPiKCaqSYb77qyQZMsVDQazDEzMgoYMsKhARb7rL', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9b5c222f26f6f5a92095a498c08605b376976909b7d9cfb56cfe6a3ba5e71387', '00000000000000000004', 'ALvQVowipgvJiLmVQwnvV18iSnGYUHXMACKK88AF8yKg', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9e18bfa2032067e20573adcb1de85b2fe03ca81be6ec9d839e462996f078033f', '00000000000000000004', 'F9wpGto3nynuHDcM1uaJaSUVeWeQas25iUf7ZRktJahg', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa6f274ca99d89e6411eb916aced692ff314d46dd2997f4698c141524b8b3c45b', '00000000000000000004', 'DbxcfzN3CcNVxV4SgsLr6PYj8hjtYS3z175rghWkTqsy', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa8e03eb53a30c7099a8f944b3159c622888c5cbc9d4f11c8a5dd2627ddd4fb67', '00000000000000000004', 'pcLXTU1BDWVqY9N5pxQaxWY8GFSJwYexPHtc3bLX1UK', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa9a3cefa6d4931261da2d659bc37b6a40872d28c0e0158ae91994cdbc998434b', '00000000000000000004', 'HGedHAZnmeKSQ7G1B2A8484jpbKTCRv9mgKoKonbEfTN', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb671c7cec8e10441000bcd4b632b8f01589c32e27fcce3d273be38ecce422dd2', '00000000000000000004', '6bmQyZG3qsyknjY2zDaDitTpVRrKmWHAaUz6tWZN7P8x', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb802a22855c5fbf3d41752dd7f033c42b5fa2f30465225f84f918182a45c9a2a', '00000000000000000004', 'HeMDALVc8rXRGn6WrYgQq4Frf1TkPFkGnAbfmmWdvSRK', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb95cd23525fb13e19f2a3cdec860704df70d4a8290f032ea1f73421dc5f5ee25', '00000000000000000004', 'DsbTdLKwzDiBigbXW3nDX71HjW9a13HMroqso3XBZPQW', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xbd1f2e80f70909ec437ec464f559a1972c7479ecc9cc9178c89945bd2f92e884', '00000000000000000004', 'ChmFsmvdR7p8bpNNFEU6EUiB6tfF4VLZnYVhHGG7Jauh', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xbd7554db6623b45a10ad54dfe05d418d43f6fcf1a123dd2cf3a81b2692f4f17d', '00000000000000000004', 'FWkU5q6QCuNBST7fvqzyQMvvK5Ag5vKEYpBwweuBEwoQ', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc0a3ea9287cf3899cacc4f9898ee5e73561ef63400a6a02c10cdd1300e23e217', '00000000000000000004', '3jzsxrM9ujheLjVpMP7fEZwDTuhAzm3aGkApfecEa9hv', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xca5ad1bdb05729769b6d9d06409a07fffc24a0383ee21664111dccce9f9c3536', '00000000000000000004', '48PVkn12kJQ9U2Z2biLdeHfj1t68ShHo1W7TW5StwEvc', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xcb951a076c7a0e1a563fa50c51161c41c715383a78da1d44f47ac8e506689f3d', '00000000000000000004', '6X8VCP3YULWdYQ84cVBdR5tLjKSqXmeiE6bB2heaMeXz', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xccccdd603b03348e49d0eb696d4bb9d16892d1f60caf432be043c4c8d830a1ea', '00000000000000000004', 'Axm76znLoG4Z4wjThnEBCfvBeC184f84ZjQkKX9wat6n', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xcd5f5eabf487584fd0f431068072ce80a7c15e8df0364d9db2c5ac0c652aa2f0', '00000000000000000004', 'AFKYZheP67jUCmFjo1YAPntG4iN2FrMTS2oaenybaifr', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd0ef030e73ec0fca83128f21e3fd7556c421894afeceea68d1bc280f840d0d96', '00000000000000000004', '5RYa16MJWUbEE5L2d2Hut3oi8obcL29hoUUrwRUctDJ5', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd79a8f0d42f89932d0c4e78fdc9faa6a9acc53720e54191d536896c72a83f05b', '00000000000000000004', 'Cu36fcU29GfWxNL62ZqMpGxUsE4xXb8fUNT32qochXaK', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xdc16275347abbcf4759652821aba3093c0f6a7ddc8cee26c0e47595282b3e489', '00000000000000000004', '9d7TggARk5u9Pvy17KNXYGabMCPzMGDSTpXAW13rVfb', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe0a71e94587124410b037404e450f0826dbcc78884a709b9982c8afa9007717c', '00000000000000000004', 'EPiioY7W6Txt2LP7e79yDJooPsakqMpi9CP8WmqM235V', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe4382d5419e677fe023249f7291769eb72fbe1e1def60daea92236189e4d8838', '00000000000000000004', '3pUoxEAkcpmxmj6VqzFm6Z1jof4VBk9DTRSDXhwaRsSy', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xeffa898243e3c21c963e7c124533f49b962566223f8da0ac8b56026bd0f3dda5', '00000000000000000004', '7DL7QYYbxphQT6JHqypaQbhHR9ZN4cSKgKCoWodhRptr', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf41a63653743e6028f6d2e63598f7d00c8a817700978c89d1e0f9d35bb491cfa', '00000000000000000004', '94BTnbd2wyg9QnirtP1MfhjSisyeD4FG4AoZospJRLZw', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfac262935049205293dce9013f412dbe9c86787ec7da17059d6e7b5c4680e1b5', '00000000000000000004', '9RAFMZ7AwA1t2ayxcatanYFWFnP1rxAed7AfxQMVtQRs', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfbe90c813e32353bc186ee21ff27dd628021804a8558038a97574ee26750f023', '00000000000000000005', '6nBA9JDkkyzDebnpU5LjPqxV18WhTepWMYVhNfT36CxK', '00000000000250000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfd27f2d6ef50dfc738b69541b8866c5a411fdc81b17907155ea788899f00fd55', '00000000000000000004', '67jBPY2UPbpnQJLNKr7F5E1pyvgWVkdqc1F1cmbJjGzU', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfd8005c438b2f78520255c34618d904f1997a39b6d0603a4c07ba700d864bc80', '00000000000000000004', 'Ezgfz1wbPXE15vAz4crEGF9hahTQ3pVVxZsSpavFg6Zm', '00000000000010000000', 'free', NULL, 0);
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('2GduuiYoPYjqdggESQQWyfDQrEn4kjFh383wgGdNwz1Q', 'dead', X'', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x00f54a95021c1fe73b109ccabba7799e0198215e7296a4d1a32beaf5e14b87c0', '00000000000005000000', '00000000000000000001', 4102444807860, 4102445407000, NULL, NULL, '1000', NULL, NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('BEScq13w4UCH9DT3v85sds6NNN9X9ekv3mKsyJbX8rxv', 'complete', X'000001000908636f6d706c6574650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa020430f83da7eb91567edb45bd9c236317bd270747d53b0b858526ef93508c3031010000000000000020bfb98b2a61c88e68f63ac579267dd12a9f19f285891a32b28c707bf3cb4b753b0e2e3ed124b24123834e50f7c0c1116cd8b13c5aa142b1f5eec3ad30b6b98077040000000000000020695fd460e22a5718e8a24bf0e442e4e7a7047648400e3dd84188a3414ffa8c10a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e80300000000000000ca9a3b00000000010100000000000000', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x0430f83da7eb91567edb45bd9c236317bd270747d53b0b858526ef93508c3031', '00000000001000000000', '00000000000000000001', 4102444807902, 4102448407000, '1361760', 4102444807902, '1000', '1956240', NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('5yxjAWjwRTJfAMqLh6fa12DvqfCWwTGeiKZRzA1e8iiF', 'complete', X'000001000d0c636f6d706c65746520746f6f0100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa01015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84040000000000000020b30ad9c71afb46972904b0e58fc69d0b74aec8d6e900bf1c333a90f6556eed99a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e803000000000000404b4c0000000000010100000000000000', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84', '00000000000005000000', '00000000000000000001', 4102444841325, 4102445441000, '2370280', 4102444841384, '1000', '978120', NULL, '1000000000', '146');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('5MARE33V5DuAu4YTWr51YMQ33dTiSmybER1ASwgEfjic', 'dead', X'', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84', '00000000000005000000', '00000000000000000001', 4102444841473, 4102448441000, NULL, 4102444841473, '1000', NULL, '1019760', '1000000000', '146');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('HW9gb6Bn4nGpxrm8eW2QoVSUDUuFaZCMBzmQZwkkYcsw', 'expired', X'000001000f0e746f2062652072656379636c65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa01015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b840800000000000000208b0ffb33b78c984a644844cfda3cb14dc8ffd00aeae8de0742b590d9015388ada92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e803000000000000404b4c0000000000010100000000000000', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84', '00000000000005000000', '00000000000000000001', 4102448494629, 4102452094000, NULL, 4102448494629, '1000', NULL, NULL, '1000000000', '14758');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('FqwgmzSR4iSFrpBVGgmfDYehraavJ676LJWrniDGNjCj', 'expired', X'000001000c0b71756172616e74696e65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa0100f54a95021c1fe73b109ccabba7799e0198215e7296a4d1a32beaf5e14b87c0040000000000000020b6ba8fb9529029d1e4abd3664b0ed01bf351d23b0babeb52677747ff5bb09d74a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e803000000000000404b4c0000000000010100000000000000', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x00f54a95021c1fe73b109ccabba7799e0198215e7296a4d1a32beaf5e14b87c0', '00000000000005000000', '00000000000000000001', 4102448531041, 4102452131000, NULL, 4102448531041, '1000', NULL, NULL, '1000000000', '14905');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('6zhnCwwgAWQxMu8bCrjJ9mAGmKx3SLUN9cwU7Pc5SFd8', 'signed', X'0000010007067369676e65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa0104c833a6925d554c75480525d3f59183bcd1b0274f01ef7fdba20209117f13be040000000000000020388e7c24b86fef6d2d1a92e13a4e916fb6c9e27b887e99c0869226af057d2aeaa92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e803000000000000404b4c0000000000010100000000000000', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x04c833a6925d554c75480525d3f59183bcd1b0274f01ef7fdba20209117f13be', '00000000000005000000', '00000000000000000001', 4102452137713, 4102455737000, NULL, 4102452137713, '1000', NULL, NULL, '1000000000', '29332');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('AQNkCB5Qjeerga48SqAx6YgfSmVnbgczssdwcDJ72t8g', 'prepared', X'00000100090870726570617265640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa0108b6bdfc0f923ca8802a241d82975517f69886aae9afa839b80ee73997fe89b90400000000000000209a7454b4bbef378fd9b109cc5498585760a6501a7843642ae44dbfd0814c4ff2a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e803000000000000404b4c0000000000010100000000000000', '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', '0x08b6bdfc0f923ca8802a241d82975517f69886aae9afa839b80ee73997fe89b9', '00000000000005000000', '00000000000000000001', 4102452137726, 4102452737000, NULL, NULL, '1000', NULL, NULL, '1000000000', '29332');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('5r3gPSTikDN3SmgqSg8ZTnvvK4BC6r4WbSKknhL2nHpR', 'signed', X'000001000807666978747572650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000085f0f8714dff83a2b4b4d422ba4f8b28c7e824fdaf68a598120f005b67b50396010a0a9d38a32dfb62f0f8e3c69e1993c1311146fe6598f6855f81d755583e6ce40400000000000000205e8c2462c133eab7eff9a5a6e544bec5762549f2aee1e8fbab39d6cfc745235fa92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e80300000000000000093d0000000000010100000000000000', '0x85f0f8714dff83a2b4b4d422ba4f8b28c7e824fdaf68a598120f005b67b50396', 'key_f1045772f5355ce7b4db', '0x0a0a9d38a32dfb62f0f8e3c69e1993c1311146fe6598f6855f81d755583e6ce4', '00000000000004000000', '00000000000000000001', 4102452140495, 4102452740000, NULL, 4102452140620, '1000', NULL, NULL, '1000000000', '29343');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('By8nR4nByYbMN7mtkyq7p1vKg4721f7ZkmFXZbdxa7Fu', 'prepared', X'000001000807666978747572650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e74000101000085f0f8714dff83a2b4b4d422ba4f8b28c7e824fdaf68a598120f005b67b503960113b7cc5800dd791094758335e8c35b8629371d31ad3f4daf2361e17b16f4adcb040000000000000020318100448d75138f08836a5b61ac5e09d57da485f7b3e93d13cecd7b018832a3a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e80300000000000000093d0000000000010100000000000000', '0x85f0f8714dff83a2b4b4d422ba4f8b28c7e824fdaf68a598120f005b67b50396', 'key_f1045772f5355ce7b4db', '0x13b7cc5800dd791094758335e8c35b8629371d31ad3f4daf2361e17b16f4adcb', '00000000000004000000', '00000000000000000001', 4102452140594, 4102452740000, NULL, NULL, '1000', NULL, NULL, '1000000000', '29343');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('GRYazPS2tKdLERfUpU6CqK9N12BsavQXHUrufmmsTuX4', 'complete', X'', '0x0e2e3ed124b24123834e50f7c0c1116cd8b13c5aa142b1f5eec3ad30b6b98077', '00000000000000000000', 4102444805428, 0, '50000000 50000000 50000000', 'maintenance', '6249600', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('3mQT1ndNq6YPJGYjr6ypRsTZfknpFFnRkZTkScBXjjqs', 'complete', X'', '0x3116dd90161801f25318cc8e9c27d854d1d2e10e2a059f3a3fe7e2a8876ef3af', '00000000000000000000', 4102444805676, 0, '10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000', 'split', '69531000', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('C9FmCPjCNBpZ9W3jHykBo8fk3QJ1LYSKVVUuSVmzqCPP', 'complete', X'', '0x0e2e3ed124b24123834e50f7c0c1116cd8b13c5aa142b1f5eec3ad30b6b98077', '00000000000000000000', 4102444805865, 0, '50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000 50000000', 'split', '17661000', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('7Cf7b3bVM5E4UB88y9UsW6s4sCdnBGrQrdcZciiXJNwP', 'complete', X'', '0x3116dd90161801f25318cc8e9c27d854d1d2e10e2a059f3a3fe7e2a8876ef3af', '00000000000000000000', 4102444806014, 0, '250000000', 'split', '4174800', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('At1P4dYsYRA61NVGYG6wM7wYrHgrRLyZVvUc3queLQE1', 'complete', X'', '', '00000000000000000000', 4102444807059, 0, '995825200', 'convert', '4174800', '', '995825200', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('DgXTSVjj9D1mwmWvsgL2QkFcMFYUYf79caHuG9owDfMC', 'complete', X'', '0x11ae538f4454de1fd2e0fbb6950d69e3f3843427aaf61b4bb39ff19f1bbe8337', '00000000000000000000', 4102444807434, 0, '', 'take_in', '2110374', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('35p61xDLCsVCAbSHVmPjdcBJAFti4vhkNjbLY5uzvrTQ', 'complete', X'', '0x11ae538f4454de1fd2e0fbb6950d69e3f3843427aaf61b4bb39ff19f1bbe8337', '00000000000000000000', 4102448494357, 0, '', 'recycle', '3147774', '0x015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84@5', '0', 0, '0', '0', '14758');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('HFFgiUZ4LtA8pasDwja3wJbpu54fxBZNdFMjmENQ1peb', 'complete', X'', '0x0430f83da7eb91567edb45bd9c236317bd270747d53b0b858526ef93508c3031', '00000000000000000000', 4102448494518, 0, '', 'withdraw', '4174800', '', '0', 0, '1000', '1000', '14758');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('4pvoV6CLff4VkJWVGAKJWpN7rrGWJSdP6gorrGdsW97g', 'pending', X'0000020020a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad60100015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b840800000000000000208b0ffb33b78c984a644844cfda3cb14dc8ffd00aeae8de0742b590d9015388ad010101010100010000a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad60111ae538f4454de1fd2e0fbb6950d69e3f3843427aaf61b4bb39ff19f1bbe8337080000000000000020fe5d354ce1031bcd7fc4c6b7e0bcfcbdbc2214f68ee64376d8972a4cd0b7b0bea92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e803000000000000fe07300000000000010000000000000000', '0x11ae538f4454de1fd2e0fbb6950d69e3f3843427aaf61b4bb39ff19f1bbe8337', '00000000000000000000', 4102452138033, 1, '', 'recycle', '3147774', '0x015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84@8', '0', 0, '0', '0', '29332');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('7Z5tewjTJY13gv5TZgF3shBtz1f1c8QEdbnx2eXr8rZh', 'pending', X'0000020020a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6000880b2e60e00000000020200060101000101000101000101000101000101000106030000000003000001000300000200030000030003000004000300000500010000a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6018736b7e820afe59da7b711b808a5860fdf46a90b4565cfc1d7748ebd0a85b4f6070000000000000020e478ff8b78c02e14580fb0dd19d52047db92131a948787d46e7a29991b9e6ba5a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6e80300000000000088d98e0000000000010000000000000000', '0x8736b7e820afe59da7b711b808a5860fdf46a90b4565cfc1d7748ebd0a85b4f6', '00000000000000000000', 4102452138094, 1, '250000000 250000000 250000000 250000000 250000000 250000000', 'split', '9361800', '', '0', 0, '0', '0', '29332');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (1, 4102444805317, 'deposit', '0x0e2e3ed124b24123834e50f7c0c1116cd8b13c5aa142b1f5eec3ad30b6b98077', '1500000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (2, 4102444805317, 'deposit', '0x3116dd90161801f25318cc8e9c27d854d1d2e10e2a059f3a3fe7e2a8876ef3af', '1400000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (3, 4102444805559, 'split', 'GRYazPS2tKdLERfUpU6CqK9N12BsavQXHUrufmmsTuX4', '-3973880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (4, 4102444805846, 'split', '3mQT1ndNq6YPJGYjr6ypRsTZfknpFFnRkZTkScBXjjqs', '-64241880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (5, 4102444805968, 'split', 'C9FmCPjCNBpZ9W3jHykBo8fk3QJ1LYSKVVUuSVmzqCPP', '-14841880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (6, 4102444806066, 'split', '7Cf7b3bVM5E4UB88y9UsW6s4sCdnBGrQrdcZciiXJNwP', '-1997880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (7, 4102444807000, 'deposit', 'checkpoint 9', '1000000000', '0', '1000000000', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (8, 4102444807088, 'convert', 'At1P4dYsYRA61NVGYG6wM7wYrHgrRLyZVvUc3queLQE1', '-1988000', '0', '-997813200', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (9, 4102444807663, 'deposit', '0x0079f82a7df9a86170312636ccee51d503ab8e2887cbe569ff1a4f16d6a54c17', '20000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (10, 4102444807663, 'convert', 'DgXTSVjj9D1mwmWvsgL2QkFcMFYUYf79caHuG9owDfMC', '-31760', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (11, 4102444807860, 'reserve', '2GduuiYoPYjqdggESQQWyfDQrEn4kjFh383wgGdNwz1Q', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (12, 4102444807902, 'reserve', 'BEScq13w4UCH9DT3v85sds6NNN9X9ekv3mKsyJbX8rxv', '0', '1000001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (13, 4102444809913, 'charge', 'BEScq13w4UCH9DT3v85sds6NNN9X9ekv3mKsyJbX8rxv', '-1361760', '-1000001000', '0', '1000', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (14, 4102444841325, 'reserve', '5yxjAWjwRTJfAMqLh6fa12DvqfCWwTGeiKZRzA1e8iiF', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (15, 4102444841410, 'charge', '5yxjAWjwRTJfAMqLh6fa12DvqfCWwTGeiKZRzA1e8iiF', '-2370280', '-5001000', '0', '1000', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (16, 4102444841473, 'reserve', '5MARE33V5DuAu4YTWr51YMQ33dTiSmybER1ASwgEfjic', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (17, 4102448494056, 'release', '2GduuiYoPYjqdggESQQWyfDQrEn4kjFh383wgGdNwz1Q', '0', '-5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (18, 4102448494390, 'recycle', '5MARE33V5DuAu4YTWr51YMQ33dTiSmybER1ASwgEfjic', '-1019760', '0', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (19, 4102448494390, 'release', '5MARE33V5DuAu4YTWr51YMQ33dTiSmybER1ASwgEfjic', '0', '-5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (20, 4102448494600, 'withdraw', 'HFFgiUZ4LtA8pasDwja3wJbpu54fxBZNdFMjmENQ1peb', '-1998880', '0', '0', '-1000', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (21, 4102448494629, 'reserve', 'HW9gb6Bn4nGpxrm8eW2QoVSUDUuFaZCMBzmQZwkkYcsw', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (22, 4102448531041, 'reserve', 'FqwgmzSR4iSFrpBVGgmfDYehraavJ676LJWrniDGNjCj', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (23, 4102452137713, 'reserve', '6zhnCwwgAWQxMu8bCrjJ9mAGmKx3SLUN9cwU7Pc5SFd8', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (24, 4102452137726, 'reserve', 'AQNkCB5Qjeerga48SqAx6YgfSmVnbgczssdwcDJ72t8g', '0', '5001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (25, 4102452138041, 'deposit', '0x8736b7e820afe59da7b711b808a5860fdf46a90b4565cfc1d7748ebd0a85b4f6', '20000000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (26, 4102452140495, 'reserve', '5r3gPSTikDN3SmgqSg8ZTnvvK4BC6r4WbSKknhL2nHpR', '0', '4001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (27, 4102452140594, 'reserve', 'By8nR4nByYbMN7mtkyq7p1vKg4721f7ZkmFXZbdxa7Fu', '0', '4001000', '0', '0', 'key_f1045772f5355ce7b4db');
INSERT INTO due (kind, reference, at_ms) VALUES ('own', '7Z5tewjTJY13gv5TZgF3shBtz1f1c8QEdbnx2eXr8rZh', 4102452148230);
INSERT INTO due (kind, reference, at_ms) VALUES ('own', '4pvoV6CLff4VkJWVGAKJWpN7rrGWJSdP6gorrGdsW97g', 4102452148285);
INSERT INTO due (kind, reference, at_ms) VALUES ('recycle', '', 4102452152640);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '6zhnCwwgAWQxMu8bCrjJ9mAGmKx3SLUN9cwU7Pc5SFd8', 4102452152713);
INSERT INTO due (kind, reference, at_ms) VALUES ('scan', '', 4102452153285);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '5r3gPSTikDN3SmgqSg8ZTnvvK4BC6r4WbSKknhL2nHpR', 4102452155620);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'FqwgmzSR4iSFrpBVGgmfDYehraavJ676LJWrniDGNjCj', 4102452437638);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'HW9gb6Bn4nGpxrm8eW2QoVSUDUuFaZCMBzmQZwkkYcsw', 4102452437885);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'AQNkCB5Qjeerga48SqAx6YgfSmVnbgczssdwcDJ72t8g', 4102452737000);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'By8nR4nByYbMN7mtkyq7p1vKg4721f7ZkmFXZbdxa7Fu', 4102452740000);
INSERT INTO due (kind, reference, at_ms) VALUES ('answers', '', 4102531241410);
INSERT INTO totals (only_row, balance_atoms, address_balance_atoms, in_flight_atoms, accrued_fees_atoms, nonce) VALUES (1, '23826174040', '2186800', '28006000', '1000', 1);
INSERT INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms) VALUES ('', 47482, 6, '28006000', '32759800', '1019760');
INSERT INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms) VALUES ('key_f1045772f5355ce7b4db', 47482, 6, '28006000', '32759800', '1019760');
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('admin withdraw the fixture''s withdrawal', '4iGvzO3YmQR7ZCxFoc6EKJFKVbI-WVih-YrsRstz5Ak', 'HFFgiUZ4LtA8pasDwja3wJbpu54fxBZNdFMjmENQ1peb', 9007199254740991);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_executeTransactionBlock/rfsbfTWxGDcyZTzwOQNISA9hW-XjQh9w0Im10QuhsK8', 'rBsvSETzDed54YyWyQIFKol6lczWFqnskiL-vf5XAwg', '5r3gPSTikDN3SmgqSg8ZTnvvK4BC6r4WbSKknhL2nHpR', 4102538540620);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_prepareTransactionBlock/complete too', 'SnktVZWmQJvIATAdDYvkRFpHkAaI8RcKcyvHXBpD0DU', '5yxjAWjwRTJfAMqLh6fa12DvqfCWwTGeiKZRzA1e8iiF', 4102531241325);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_prepareTransactionBlock/dead', 'iWv2OOsR_QJm8nef9CpcqeUZUyDCswAVKyxK3RlbHzk', '2GduuiYoPYjqdggESQQWyfDQrEn4kjFh383wgGdNwz1Q', 4102531207860);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_prepareTransactionBlock/hrKWpUqeQKKhykPq8KTgDEpkEt7bMZqLcRg_cwwn5UA', 'OeoBy5SntDWQtGKGNfDzDdGr5MAk4qPtcsc7Nj7psqc', '5r3gPSTikDN3SmgqSg8ZTnvvK4BC6r4WbSKknhL2nHpR', 4102538540495);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_prepareTransactionBlock/prepared', 'hWzzYuL1PU0TYU4fHfltgUO8NKRdmExJdvoDoVv_r2A', 'AQNkCB5Qjeerga48SqAx6YgfSmVnbgczssdwcDJ72t8g', 4102538537726);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_prepareTransactionBlock/yWkvHtS4S_TIqDXBChszk0RMSyt_ytxKr0wwE4hVjEc', 'OeoBy5SntDWQtGKGNfDzDdGr5MAk4qPtcsc7Nj7psqc', 'By8nR4nByYbMN7mtkyq7p1vKg4721f7ZkmFXZbdxa7Fu', 4102538540594);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_sponsorTransactionBlock/complete', 'kCS78vNjP3KDPesQKW49H26h0zNq6lAZrMw920TPfvg', 'BEScq13w4UCH9DT3v85sds6NNN9X9ekv3mKsyJbX8rxv', 4102531207902);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_sponsorTransactionBlock/quarantined', 'G5XYLgBkhwWe7DixCqhDN8gIQAq1Nr3OJnECZw7BPac', 'FqwgmzSR4iSFrpBVGgmfDYehraavJ676LJWrniDGNjCj', 4102534931041);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_sponsorTransactionBlock/recycled', 'xuHKHgNLaM9ww2q8ZSwCIUKXGe8A02TsFo0Y-gWt3x4', '5MARE33V5DuAu4YTWr51YMQ33dTiSmybER1ASwgEfjic', 4102531241473);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_sponsorTransactionBlock/signed', '-EH7KMQwbvA35b1xSLlndjq5iDspkFNXsoj0UJk3qlM', '6zhnCwwgAWQxMu8bCrjJ9mAGmKx3SLUN9cwU7Pc5SFd8', 4102538537713);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_f1045772f5355ce7b4db/gas_sponsorTransactionBlock/to be recycled', 'ysot4jPB2adQJKsGo0hL-CNQViWiDMIa43DPGovWVhQ', 'HW9gb6Bn4nGpxrm8eW2QoVSUDUuFaZCMBzmQZwkkYcsw', 4102534894629);
INSERT INTO listeners (only_row, version, types) VALUES (1, 1, 'wallet.created fund.deposit sponsorship.completed sponsorship.expired');
INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (47482, '0x71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa', 'key_f1045772f5355ce7b4db', 23738040, 0);
INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (47482, '0x85f0f8714dff83a2b4b4d422ba4f8b28c7e824fdaf68a598120f005b67b50396', 'key_f1045772f5355ce7b4db', 8002000, 0);
INSERT INTO party_coin (object_id, start_version, balance_mist, tries, holder) VALUES ('0x2d6024a16aae19a2212951b93e7c17dc3f755d9196af6913955721d5e146df9b', '00000000000000000007', '00000000000020000000', 0, NULL);
INSERT INTO kept_answer (digest, execution, bytes, expires_at_ms) VALUES ('5yxjAWjwRTJfAMqLh6fa12DvqfCWwTGeiKZRzA1e8iiF', X'02204a0648a0369805662f2f5f209e5a99398fd64df25996a289353d2c8e37d4c544010000000000000000000040420f000000000070d5230000000000c8ec0e0000000000982600000000000001015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b840500000000000000012029177159249fc95d8e9e20e0e132bc1dd757ee46a6aa9eee042fde9cde4b45ea012072445d1644f7947a9a72d7cbc7d14950ddddbae5bc69ae5ae7e2337e4b0d93bd02015a0bac48355ac2f1f9d27e1f8af6acf89b89501294d0cf97a4595337280b84019c013078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a636f696e3a3a436f696e3c3078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a7375693a3a5355493e0001040000000000000020b30ad9c71afb46972904b0e58fc69d0b74aec8d6e900bf1c333a90f6556eed990100a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6010500000000000000206b2301f2ce4d1f7d71bc51c297a8110093fd7536d9bc3e840740d035babcf6260100a92050bb56234501704cb2c4d6f4a39c7a23dd80e99ed97a124ab5e21bd23ad6368d4f60443950aa7d9482c31511e9652c99ca89f48ba074bcbc797c4a515e37014f3078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030313a3a64656d6f3a3a42616467650100010500000000000000204136672c157286f7e495dd8cdb4956f954703cd65180f6403f1b81438bd727cf010071b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaa01423078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030310464656d6f42307837316232306663326132303930626439313862343633336664343739313437376562343135623666316437633164643737356132666166333461386566666161553078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030313a3a64656d6f3a3a42616467654d696e7465644d368d4f60443950aa7d9482c31511e9652c99ca89f48ba074bcbc797c4a515e370c636f6d706c65746520746f6f71b20fc2a2090bd918b4633fd4791477eb415b6f1d7c1dd775a2faf34a8effaab4017b2262616467655f6964223a22307833363864346636303434333935306161376439343832633331353131653936353263393963613839663438626130373462636263373937633461353135653337222c226e616d65223a22636f6d706c65746520746f6f222c226f776e6572223a22307837316232306663326132303930626439313862343633336664343739313437376562343135623666316437633164643737356132666166333461386566666161227d01423078613932303530626235363233343530313730346362326334643666346133396337613233646438306539396564393761313234616235653231626432336164364c3078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a7375693a3a535549082d323337303238300000', 1364, 4102531241410);
INSERT INTO doubt_progress (only_row, chain_ms, looked_for_after) VALUES (1, 0, '');
CREATE INDEX coin_by_holder ON coin (holder) WHERE holder IS NOT NULL;
CREATE INDEX own_transaction_pending ON own_transaction (state) WHERE state = 'pending';
CREATE INDEX due_by_time ON due (at_ms);
CREATE INDEX coin_free ON coin (balance_mist, object_id) WHERE state = 'free' AND maintenance = 0;
CREATE INDEX coin_maintenance ON coin (object_id) WHERE maintenance = 1;
CREATE INDEX sponsorship_expired ON sponsorship (expires_at_ms) WHERE state = 'expired';
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at_ms);
CREATE UNIQUE INDEX aptos_sponsorship_standing ON aptos_sponsorship (sender, sequence_number) WHERE state <> 'dead';
CREATE INDEX aptos_sponsorship_live ON aptos_sponsorship (sender, sequence_number) WHERE state = 'signed';
CREATE INDEX aptos_sponsorship_by_version ON aptos_sponsorship (committed_version)
    WHERE committed_version IS NOT NULL;
CREATE UNIQUE INDEX aptos_own_transaction_pending ON aptos_own_transaction (state) WHERE state = 'pending';
CREATE INDEX party_coin_waiting ON party_coin (tries, balance_mist DESC, object_id DESC) WHERE holder IS NULL;
CREATE INDEX party_coin_by_holder ON party_coin (holder) WHERE holder IS NOT NULL;
CREATE INDEX kept_answer_by_expiry ON kept_answer (expires_at_ms, bytes);
CREATE INDEX idempotency_by_reference ON idempotency (reference);
CREATE INDEX aptos_sponsorship_dead ON aptos_sponsorship (sender, sequence_number, expires_at_ms)
    WHERE state = 'dead';
