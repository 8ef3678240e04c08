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
INSERT INTO schema_version (version) VALUES (5);
INSERT INTO fund (only_row, fund_id, project_id, network, name, created_at_ms, paused_cause, public_key, sealed_private_key, chain_identifier, epoch, mode, policy, sponsorship_fee_atoms, low_balance_atoms, low, seen_at_ms) VALUES (1, 'fund_d23038a63a2321684fea', 'prj_f16a61a392cb110d12d4', 'SUI_LOCALNET', 'fixture''s fund', 4102444807564, NULL, X'e39608c35efcfe427e2271314b7a90146b04a6ff1156b0d34241e390b3de3fe7', X'01019cec2ffd0ffa9a27429b23261bf3d269ff6f46912d2a2b88c101b50eb13c38f1c5e6fe32e0112e79b003c21b712e241c21d9f65feb0ce38918a1f9f9a65fc9cff4923ae6d6917af5cf61ab7d208b0cfafb88d654a058be2276fcc28f0315fbd4e35b504f6bd81ea4bb88b576', 'AVkpKkE1NtveHibmKaAyp5i8V9opQKFticdyF2x6n6rv', '0', 'coin', '{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null}', '1000', '1000000000', 0, 4102444810788);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x03f6b34bdc3b76c0710fef49008cf86a617323376ce914bbc5182150c45015df', '00000000000000000003', '7gTZ8mDdgrk2PjMLdWVpASqQTHs6pWzAaEYXRRmtVBDX', '00000000000010000000', 'quarantined', 'CBmjtzYmkFiKVshKF3y9T8915NGLtvinM6UA5t9D4JWT', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14', '00000000000000000008', 'F8HanzDoXB5Avu8nhFqS4B1SjgXALq8wrTAsXxNUmVfv', '00000000000007629720', 'recycling', 'GCkGMkYxdyJCjPgS6VE8SVbZSGgwoikV5MHyhLc83RUg', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0e3e197433cf60fe61dde448efe2f92f88b6421cdf3f9ade85113ccae98335b9', '00000000000000000003', 'EZGcC3KA7fYxzAE2Lx2c1zmnkUWKGUthxY1DEdbUPCPB', '00000000000010000000', 'held', 'D7fFDPoc4CXfSYNwqyVeZj8e76n4cHbwWoGkfn88Ljkw', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0f2fb61e2d521bcbf773ed2125b0e748ae46fda1d75a9b9ba3a669a96ae7bc48', '00000000000000000003', 'HUJwGpBXwDop5u8mF7Ssr82QGhMb3we2nMS1J17gKiFN', '00000000000010000000', 'held', 'EvHgiu7CPtSc6dVM15Knax97cuJKgRyFt2EhULaR8XBW', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1244f7a6c896013f699b91251cc02b47880896379b572a8f7ea5f5045e9b3446', '00000000000000000003', 'HktwTQV3q6G6USttj8eav95Cf8dgGKavdV3fNocdqnoz', '00000000000010000000', 'held', 'HKVCKu239WBG3JGijSjoQ2tGJzWEePWAmp3hJ6u6BhPi', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x127490c1f0b77c8f82dbd8fb1b4858de3293a2e32d55aa1056615015b6e41b52', '00000000000000000003', '7a4qSAuipdMaQ2FWZ31AJJ4nrhdtgPedTBVFCBhwFh8R', '00000000000010000000', 'held', '3QVTJL9EcgACfJDWBjsH4u7xefuiVCk1njnCwPQeKAW6', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x12b41de136ccf036a2e0879bfaeab0baf96d88ace3c267fbac8187df9bccbc48', '00000000000000000003', 'C4jLmYQpyadb4nb5KUgpKZbTDGvogivKCYS4XE8EY64R', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x13699e16933e3b99a2e0ce1d667b98ab82d6aa887be4323beb1d6599703d3068', '00000000000000000003', 'EaBK2eBFa8RGMWHTR3CgdKKQTCtJRNeAWFsqRpx4agvt', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x151d0bef8c385189bf3741b9e2b53d35ac06d8fb8b855db8e6151b7d6b86f8af', '00000000000000000003', '5kmE6PSgjxnLxkpqjejJmV3TbnMgF9YhTs9tp6UL5T5W', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x17afd0b8885eba4dc828699d7a1f0b4495fddfdaccf447fdf504fd67ac71fac8', '00000000000000000005', 'BZ7oH64uUig8xjJfjqMEZDUm4RVdg5kvtxd62ofWhY7H', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1cdd1a20e1ab7d1b7f314f9f4f1baa2295f12fc508984580b7baf1fa079b7ae8', '00000000000000000008', '5v25Bc7HxXzhBBTFZp1B9yAEYm3RmANr5RsUbB2NtFYJ', '00000000000068948480', 'spending', 'DGD3JMivAXKnr3hxzZhMpx1mKCc7Br77HyWJ8yBNNDvD', 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x209d42adc06f6987337b50ded9691d3c699904df9cad07e7da39ca349f884a63', '00000000000000000003', '7YAqT9dBXPwpSuX63VA6pYzMp7QneUxm9gVgGWPa8Cua', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2a8985bd6a6a1dcd4725122f80c98f61b355d94c6bfd76df83d575be0e8d4374', '00000000000000000003', 'EZcBGQEqtk8wV6VvbhhBNqfouFGYWJvytjgjKsr3vrzp', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2cdcc73a0cc390cc4273afde8374f3e5e0de0f0a6a9fd49a8b7faa40ceb0798f', '00000000000000000003', 'CP6BynJuyWxxe3zwvM2quEdgN49UWErsqnSgEN6Tmy1Y', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2e511a5980146347ca86a422f01b412984622301d503f24dfa35644346a509aa', '00000000000000000003', '7fe49VHqQKPjhyajGiyUVHJuZfdmHzFuQ9BTRhNi9wcZ', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x2f7894891c3bc7ae28c7c670d9ce570c2cfc6a64e0237ac185aa640d4d5ac5bd', '00000000000000000003', 'DdeMDMAUgqcagQ7NRBTp6ZVgubM9M5ASKSbYPczpr1VK', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x306133cf77d6f71547b6870a61ba9f5e1a62c339bd612e510b85253b1f4866dd', '00000000000000000003', '6WBP1vCVtD4ifzPJEbjkbhXccz11h9gz46x6DgR4E4w6', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x31fe162536f1198b266981b182d9345b3bc1224163fc1b36257e13f181123ec7', '00000000000000000003', '5Gdd3hAXfCodCKQ23Mz7NrRPizFUyDASS424M7WK32y9', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x356d65b29424520192e499585b184fd1e04bd4dbf176d8b857aa0126e2e1eec6', '00000000000000000003', 'H9jJjSh61G81cLWGKqrLkkvvquwejdEvpdATS8ogvazS', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x375c25be4171f5497125fa66effc93ac529d8be42f5e0a8a876fe15b4a3f8939', '00000000000000000004', 'Dv3VBwts78DcRZRLiCVLdFhPXb3zgMQwifFv9nTWepwK', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x438150a77d86cf2ac4531fe376e710edc55d2b2a82cb5fc6f8e53e66ad652893', '00000000000000000003', 'F9YLHHvwBQV7yJ4mrLDgd3kurHuqQ6VRD9EByGyqF9cz', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x43f200b915e844655115ea99545b82c60d05a02e2fe92997ad3fae9de8f3683a', '00000000000000000003', '2pPCwJuGLKf8KMFKTm5GRg2pZFXQ8kZh8fwjA7CqS36L', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x449cf37da06359aef76af875d6ddf7fac2ee6cdeadcac6399f88c80459cba312', '00000000000000000003', 'EbLQFMcngsSw3j4GeRBQ48WqdZtoMWcQrZP2GwuyyXTS', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4abeb24152c5069767ef43d047f5553176f1778c1d356b884aaeda4633a79e56', '00000000000000000003', '7awX3cGjkSpdgALPNUZXo9DLJXyLfrDXzpnrwcyFd2XP', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4bd0b3daf6f278e74245b5ede62be1117bac81878ebb31807378150c5dbd99a7', '00000000000000000003', 'FnRZNcYdCmxPJS2ipZUaFGQBnxYBi1uo37rceChRcCed', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4c73b7fa1e5f0aee22a138c2515b9fa6e5be6349fa02c9838a614cb31c88a6fe', '00000000000000000003', 'Cnu5HNuoXhizUeoq8zK4c8akFRzrH7mmTRjdW6HGtkqe', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4e1aa541c7f97e505f51d65ef22abf3c296d5a967703f5169bddbfd84e91305a', '00000000000000000003', 'hiBbpyEDesk8qHQA2EGitn3nAcgjC5FY46HsyUZzmNa', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4fb5c063bffe15df9dcbdc8c42539f1e5013cee0edd1ab5dfb9c1ba9dcdc7c11', '00000000000000000003', 'EmsGMs4XXvyH5RjQjN1LQEuSCM7y5HFFEgnxQQW3ew3y', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x514262849586992c6c162069c319e0a326f8da9b8f56e267c4f88d7618ecc880', '00000000000000000003', '5hV7sxa7EwgEh16PiveCEyJa8FkdsHLcdzAxg3uQYGnE', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x538dce356e1e4ab9865d2867bd84b73a1369b9f84974e30e40acf709ba98a98e', '00000000000000000005', 'HUB6XUjKBhjn7AMucaGMpyFnwzSfi4W4ujX8RFmT7FBw', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x55a3cf16225dd24594a56aeedc8375d42f9b7775a6d3e5da62d0fdf11e1e2e69', '00000000000000000007', 'CELyuFJi26gWBttUYkXg6towQeymTbw7m7MLxJeNR8L9', '00000000001880564800', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5875377c4a8d11f086746bd7150bc3745c6de977d6a373128c70bfbbc883c804', '00000000000000000003', 'D8oVdww2qDhH5PMw5J6uNtmga2jLSRjTrqfE5U9oHVgf', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5c1368732c70c143a61fe3a1d0fbfc7f7b9443152fb4ff076c91329503131893', '00000000000000000003', 'DKYsg2Q79uuJ3bncvxxWTXsEfjatkHxMHyHaR3j7NDxR', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5d93f45bcb90bb61e68b49a269c84428c0a3a11651471046012dc8b9832d51cf', '00000000000000000005', '2SC7vM1U8RDSm615cRrPADd5Nsa4UaPejN16xvzJm1vZ', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5dea611df3813c25486a3364632b92dea168039bc0e43e094127fcc23cff52f3', '00000000000000000003', 'AzKc2xgBsK39PnvPLxLtCa8jpV1XZsbkL3rbkXgoj5p', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5e6204ef8fa46a680443deced373c2a941f3660b9ad604b8e13aed19ad150b22', '00000000000000000004', '2k2uyBFb2FMqM5n7gs9k73a5f1fENZbP5qXW1pqkDu57', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x674e8a1eca523b41e66f3e4e42bc16361f4e4f9c2532b2fc5d3dcb53eb236b40', '00000000000000000003', '2xGbjVMSeAd9Tbt6yPH94N9oUQcJQRV7vqR7jHgJF8bV', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6862f1d225c4c4f4cbb01660464544c0e8697544b9d2a163ed328da2636ddf4b', '00000000000000000003', 'J4GeVvw2CE4soUmFdp2qR2nPU8ALzkPUZgtHHeqCCvgn', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x68988add3dc99081141d7e90cef1e573a7524685f10590b7d7aeeeae66fc86c0', '00000000000000000004', 'ALyefuWriA49EBjd8AFU9ba1A1FfoLqBv59D8U3n45pU', '00000000000050000000', 'spending', '4n4nbyGdaJXWHGj2aFowjEC9yDhZin5Za3WyGjamGcnr', 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6a525e5b8e309f2a329404bcc71ff0f9c7686a094bde3d6596bfe1e6f3381911', '00000000000000000003', 'BV9vodsGhUJWQUQbAi6ZfceCvUcgrTvvKYzfhkW6SCfv', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6c69613ac45aa5537ed0d95ea3be5b53e471246ec22e8932a6fca67a0e3d6bbd', '00000000000000000003', 'DaYaQFXh1kDEMgzsgpqyPxLdFnfs6ighnCGcy26N6FtN', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6dc81e2ec65abb181c824829f303f7c6b7f23e84980a7474c161c9bcc042a79f', '00000000000000000003', 'C8e2KRBZgj71NhyRoBV6efUxwREHSHmAmPBo6jMPdrHB', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x70b335c45bb18a9011de00825148df1dde5ea9a003851e8559924703c713905f', '00000000000000000004', 'HRwRSsxjPivPDTtPfRUAJCLYnZT5obgofjLYagfug1Xv', '00000000000437832240', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x722266988d64b5e6e41d8201404f11e34b547c7a6bac652e39e82c28df8ec6b8', '00000000000000000004', 'GL62sw6D5VZs5LjTR3CdHYn7Rr6nBMR66QHnosCt6x5', '00000000000050000000', 'free', NULL, 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x729b05f6a236bd5afa6b34eb0692a75c3d20f03ed8d12a1b55b882f2c0002abc', '00000000000000000003', '7phSoD7CL7nMaXrJx6bCMJutAtedWjXATFApv9juaYtp', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x816e1b6443679baea129ac0279469704dd305576cf89c206ad7c6fc748ad1b00', '00000000000000000003', 'FxUjdKbH2AeYgrpm5R37Uze5Pv6hXaGKHzmdFqgBQ4gd', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x81e127f9d510d7329651e7731affcae013babb2a02de297749c7ec16c9743f94', '00000000000000000003', 'GFNvpgQDcmxh1YqaQ3Ybzf39GBmy1qKu3csNd8QVXfnA', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x82949ec1edd491a293adb3e511d206b2a94e80ce0209cdd6f00e86bc93bdb8ac', '00000000000000000003', 'GjvXdxNoViytjMq2Dn7vJyUgY6ftbayqnYPWLM34GZLH', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x83eb1fd3f2b045f28714616465644395ebd648ddea6ffbb9362fae8b833ca36a', '00000000000000000003', '8YjoKfB9vsD1vzXXUfeL8XYXDtLF4SjqoEZoRzkse3t7', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x89a17910277033211995e91fb191855576ef6c0880af9794ca27664ce1c55352', '00000000000000000003', '9qBunTZMjJX3tyHVzjCFaDafhvq2CEdGyspLXwHAWBW3', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8e29f7df3c7a9d32886ac49d641559f4c622899ac450240c576b3da9505d6600', '18446744073709551615', '', '00000000000000000000', 'gone', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x91fd64d3370f5f75e4d08020c55258e65f0565c0cec60059d8154383a8c9b0c6', '00000000000000000003', '8U5jjHdbyGrUSV7ftvzS1zsdQsrScwdnk6nwVopy7JvQ', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x940a5c3bf6e2fcad0f11583d6b1caf3227a5faa4c3e7afb036809a053695d028', '00000000000000000005', 'A4DQDB6iX1ps54trdQysjpQWsb8k6RgQujpSk7ayEBqY', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9b7c5b3d41263db890c1d5c86e7a7eef1fb4d6a3bbc153448a55c1c969befeaa', '00000000000000000003', '9tRgmSQNxNDKL1RhzwNNsshpUtSUEYGiHAfFBECrDjqw', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9b7e435ba37ee07ed75fbed94086e3440b1f797052aeea81fc5cdcebcd4c9413', '00000000000000000003', 'CEvgCSNUkw7r3TkaKWmYMTxXyfHHSDSSdoAiEnRvdgwK', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9d6b41d470656255e81fecf870cc648028bcab61c39b3cc27d11bb51f546bea7', '00000000000000000003', 'FzarD7U1F69dqXWCBKDCAD8XbBm5eHQUwJ6HjrWshF6d', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x9f98225294f0ebb4e83f7ac34ca71b08a13ff34e7e3c21c673b9dcf676f34b1a', '00000000000000000003', '8C38bSTCLDeJS99tuTqhQJXFRmhWkuwciPeJgJMb5vgz', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa3b8c2ded19428b5f7759ea1d57f7180b4ef3b1a699463fbb169638493e09ff7', '00000000000000000003', '8SGtCRqiVdvbBr7kkCy2n6Tybo7xQBGvJGtTAr7X4Szt', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa667a0165312bbe1695c4cdbe0ca523e38b2c8ff12e949194a1c2d35ab74736d', '00000000000000000003', '8ffuCUHNy3FdbPyejhBai4C6Vj7VbwFKFYySyd54M2kT', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa6eaa2a5bb2f0f1ae3d106f16f75710cf02900a8129c1e7010d84c6456984ed0', '00000000000000000005', '5Ncv2zJouC8iB99qvrsRaq8qT7NN355mEu2PFmGiSYb1', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xa918195423f3d4bd52d1f8586c04f29604cee370d865104b29675aebdaf95a43', '00000000000000000003', 'Gh3dU4A9ufDv5ydfrUQR5Y53Qn1a6DZozXab8Vp57mJV', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xabb0b94559fc335e715bbc4e839eec02acea06aa87c931b3593946d7b67b374f', '00000000000000000003', '9CmgZ8DjeaF3D14GpSeGhpu4mtoUWXRFrHZ2wNWqKh6q', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xad211621f26f52a097d7aa9c90111f176363109995ad91d7e21a7461a96d27eb', '00000000000000000003', 'J6SDFDSZgGnuk2DGGQp14bGfgwhk7vTFEpqdnZFo1cer', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xaf03d65bbf4d1ed2b0fb5a8f6f9d0c687b01ba1a511b09f3b6e18a2c148e6fcb', '00000000000000000003', 'Bqiq6Zy1G9U3KWkwCNyoGA84UKD2nD8FMTDc8VazHs1x', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc300c24ff2f8a689265479ecf5db5d9a653dc53507df90619427d6af38026341', '00000000000000000007', 'G9dzzGhvu8WVJHbeqbGzSRxJQBfVNtFprV7Z87GdHrZM', '00000000020000000000', 'spending', 'GhT4sQiYMsXpJcvuVw6XdyxpzPXsEm5qqydewTvvvpmC', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc5a2252d3fbd2a50ccf4a6922d24dfbbf44a69b4c7713f358afaa5d61d95b103', '00000000000000000005', 'G8AwYH6R8Aq1AVSyuik6fh5PbL2eqzFyUhCnHZwSrcdK', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xca6a86b2622a9c840e8841bfb4a19799ab5c41bf2276790d782c263a739b6c8d', '00000000000000000003', '7rCp1wQjbjf84r5W7kexWXSPJUrL98Je3aChCKDzjkUf', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xcb76c1162fbc066fd57ee770182e8d6636cdff58cf14e35c409026fab5c1ae6d', '00000000000000000003', 'FJUiACYGMKp26BTcczUTpeQr1dA9wJmbJbu6ivAh8Q5e', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xcb9bcd599ceb65ec53cc2e83ce9818322bdc30179e81fbf88d5458ef316f7a73', '00000000000000000003', '3CwBbR6GZDz19FboxaSnyFrtcb6ygw4xwMyuC1897DN2', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd1ac5a16ffad3021ac4dc2c662d153bdb3381930c9f95117c8aae998479013c7', '00000000000000000003', '3vArRAoZVSCUKMExUEtSGcYsTWMTjod3mXG1uzwRZiBf', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd1b7e8b705aba768bc4f136979e7945916104623928e72910c43e5e92a9eb220', '00000000000000000003', 'BVMktQicji1pcNbJcVaHkJcJea7WQcD2DKBEH8Lhoaj7', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xdad07b98494f0728d1b08ec3d78d6181a46637c17902068bb064c1b943cc8d83', '00000000000000000003', 'Cgs3cJWh2fzuZXmDVhAsvtAA8vbXq94LNZQP9aHvu5RY', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xde6a79d87fd127f5194823eca1f88049a75784e77fd9619861a651e86e6a0449', '00000000000000000003', 'CmQmZu4DvmBZawSY2fY4mqMHgj2HLnAcvKR9AXn5HKPu', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe07e8ded144e4033b0caad35de0b64b3a38803f3e34be9066cdfb5a835eb6c1a', '00000000000000000004', 'FjukSRfNhZcvWqLqZptsXvu5gtxqLF38MxqXeNHxDPue', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe2479fdb7c6edb2791377513adb8877d34455c56ed580453fab70235b5bdecd9', '00000000000000000003', '89MoKCP39P36aFkAMHGghRbHenhNndfkCYaXB5gHRTYx', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe80a349278e283df056eac276557f6d8413dc562b8167aeeecb15d4efa5f9b92', '00000000000000000003', 'EZN2yh5YPz6FXLAqqdh8CPp3q1vsX4KqDJgmRg5AXQwv', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xeab69a945f862df4d5f82e9c16b8b1591f0399ec86e9ba472efd3ec88da65aa5', '00000000000000000004', 'ELsjPGbNfUCjMr8scHgYDvayLK3NQL2zCKycS4fmiKmk', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xed4ee451b1f5aa2dc4a642ba43a1aa24ae7aec47f062c9ef303577f9ba3a3130', '00000000000000000003', 'BUh8Pay2UL3TFckYKZfM8197ykuQMER3euVLVF66xKbz', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf0ef3d8a9fa7bca44bbdf173f3e152bc7bdd22be7cd052eb180aff4666a5addb', '00000000000000000003', 'DnhPQQvNY6hjHnjXurtMPMYQnya43Kcsj2aTmDxTA8So', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf2c84001083c13cdd58e7dbbe8f3442424c5b5537401fb6897ba79ffce9d9d80', '00000000000000000004', 'AtvbpFUbK8Q8tu1qbuwgvRoqPZaJVEnyhD6FhJPS8CRh', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf4ef38098cb51a204745d8bef138e09b7ca55773d04872e08c9932dede5d4c05', '00000000000000000003', '9ApwzJMyKiiWxaWCEaReCKfaykwsT6Mtf7YkbRcnwVQs', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf55e23f35eb11a53e8a8480976fa6dd7ed2eed1f7ab0ee58d7d1e0ce15855d46', '00000000000000000003', 'GVibWfGPYwd4KcgxMWZPJbgbyqH5yP6TcttZ4yFiQ5Sw', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfc3a1239da6ffa544683385d2ae213ad6c37a785a43aef70c0b145836fdd5d75', '00000000000000000004', 'CBqS5xU5ZXBMwWkjzrztkVoieJ6mZzpWZ8Ave9pLvyLg', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfcef70f0f9244d8a081ef7f01389d440dc1753c7e83be55ed53bff1294627574', '00000000000000000004', 'D1kCpmDozKwN5id67BkAgtXaCefLQ2N1BYGuSd8zSAMu', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xfe5e4f403fe37200593bb4232566b1a6f1ac8a6355f1e2cc252e95a205eaad1b', '00000000000000000005', 'GpizoePKPY8aEiU5PdC2b7afrkfYGuEGiRceLcXXSjLg', '00000000000000000000', 'gone', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xff0785dbdafcd6e53c7c9c56a7ff4c2731b7825a6592b4b77722400a96951d84', '00000000000000000005', '36FnoWCk8YkvXoF78wuYTUxBNgAixyuFDoLMvwE5ycdJ', '00000000000050000000', 'free', NULL, 0);
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('CnsJCYXK9RrnFCw6mN7yqWNRHCbQsj8irzme4t3SJ46K', 'dead', X'', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x03f6b34bdc3b76c0710fef49008cf86a617323376ce914bbc5182150c45015df', '00000000000005000000', '00000000000000000001', 4102444809024, 4102445409000, NULL, NULL, '1000', NULL, NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('8wvy4Lek4dyYQYBDTkAQC9HGVGyeo4Si5YMNPBfRgZWE', 'complete', X'000001000908636f6d706c6574650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c0255a3cf16225dd24594a56aeedc8375d42f9b7775a6d3e5da62d0fdf11e1e2e69010000000000000020a955e64cda24158fd630ecdc48ab78734bcc13282f8624f50b580ea948caa82bfe5e4f403fe37200593bb4232566b1a6f1ac8a6355f1e2cc252e95a205eaad1b050000000000000020eb191670a6f8f8ffe3b6f1bc2c029a1179937b15b12db265a4976a851f3c5825e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e80300000000000000ca9a3b00000000010100000000000000', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x55a3cf16225dd24594a56aeedc8375d42f9b7775a6d3e5da62d0fdf11e1e2e69', '00000000001000000000', '00000000000000000001', 4102444809068, 4102448409000, '1361760', 4102444809068, '1000', '1956240', NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('EBd3W5KFhfhHjyrUyvAkj2jEkJqsDoaNZ8Wssv7QYz3i', 'complete', X'000001000d0c636f6d706c65746520746f6f0100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c010de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a1403000000000000002030202a5f5b35a67b20dfa85d1f1557345bc70adcfdc7d4007ff8519871cf6d10e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000404b4c0000000000010100000000000000', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x0de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14', '00000000000005000000', '00000000000000000001', 4102444842320, 4102445442000, '2370280', 4102444842382, '1000', '978120', NULL, '1000000000', '13');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('Dx2r72D2K5PCFJjvR19RU6cFNxYPaQbmqdL4p6uTvak3', 'dead', X'', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x0de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14', '00000000000005000000', '00000000000000000001', 4102444842551, 4102448442000, NULL, 4102444842551, '1000', NULL, '1019760', '1000000000', '13');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('GCkGMkYxdyJCjPgS6VE8SVbZSGgwoikV5MHyhLc83RUg', 'expired', X'000001000f0e746f2062652072656379636c65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c010de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14080000000000000020d1e16ec403b6abe98dd151fb444819fb505f34fa4c003fc627bb68b29b4a9d31e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000404b4c0000000000010100000000000000', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x0de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14', '00000000000005000000', '00000000000000000001', 4102448493730, 4102452093000, NULL, 4102448493730, '1000', NULL, NULL, '1000000000', '14742');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('CBmjtzYmkFiKVshKF3y9T8915NGLtvinM6UA5t9D4JWT', 'expired', X'000001000c0b71756172616e74696e65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c0103f6b34bdc3b76c0710fef49008cf86a617323376ce914bbc5182150c45015df0300000000000000206341cc3ffbddc7ff3f0949790a5242bd50f6aee2c5950edc455d0e4c6b58364ee9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000404b4c0000000000010100000000000000', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x03f6b34bdc3b76c0710fef49008cf86a617323376ce914bbc5182150c45015df', '00000000000005000000', '00000000000000000001', 4102448529241, 4102452129000, NULL, 4102448529241, '1000', NULL, NULL, '1000000000', '14887');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('D7fFDPoc4CXfSYNwqyVeZj8e76n4cHbwWoGkfn88Ljkw', 'signed', X'0000010007067369676e65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c010e3e197433cf60fe61dde448efe2f92f88b6421cdf3f9ade85113ccae98335b9030000000000000020c96c299ad6c73b3c021cbdd7e7e402d7fb0a242494846afb8f4abb8479b11e72e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000404b4c0000000000010100000000000000', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x0e3e197433cf60fe61dde448efe2f92f88b6421cdf3f9ade85113ccae98335b9', '00000000000005000000', '00000000000000000001', 4102452135535, 4102455735000, NULL, 4102452135535, '1000', NULL, NULL, '1000000000', '29311');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('EvHgiu7CPtSc6dVM15Knax97cuJKgRyFt2EhULaR8XBW', 'prepared', X'00000100090870726570617265640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c010f2fb61e2d521bcbf773ed2125b0e748ae46fda1d75a9b9ba3a669a96ae7bc48030000000000000020f4b9f3e1ff56d079aeb51f572e721774cec59160d891844c5d0e993410cf1885e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000404b4c0000000000010100000000000000', '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', '0x0f2fb61e2d521bcbf773ed2125b0e748ae46fda1d75a9b9ba3a669a96ae7bc48', '00000000000005000000', '00000000000000000001', 4102452135546, 4102452735000, NULL, NULL, '1000', NULL, NULL, '1000000000', '29311');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('HKVCKu239WBG3JGijSjoQ2tGJzWEePWAmp3hJ6u6BhPi', 'signed', X'000001000807666978747572650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009c9ff7b63558a43ce4f77b32aab889bf88541f4601b66740be9c75c51d323b18011244f7a6c896013f699b91251cc02b47880896379b572a8f7ea5f5045e9b3446030000000000000020f8f9b16eab61b2a54c1b408f1501d69afd094659dee02e54fef8b98f458c2299e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e80300000000000000093d0000000000010100000000000000', '0x9c9ff7b63558a43ce4f77b32aab889bf88541f4601b66740be9c75c51d323b18', 'key_bb5d54052054643345ee', '0x1244f7a6c896013f699b91251cc02b47880896379b572a8f7ea5f5045e9b3446', '00000000000004000000', '00000000000000000001', 4102452137408, 4102452737000, NULL, 4102452137493, '1000', NULL, NULL, '1000000000', '29319');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('3QVTJL9EcgACfJDWBjsH4u7xefuiVCk1njnCwPQeKAW6', 'prepared', X'000001000807666978747572650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009c9ff7b63558a43ce4f77b32aab889bf88541f4601b66740be9c75c51d323b1801127490c1f0b77c8f82dbd8fb1b4858de3293a2e32d55aa1056615015b6e41b52030000000000000020619e9fe4b463d10674d73e2a6319517f43bb1f207739390b5c204eaeab126fdee9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e80300000000000000093d0000000000010100000000000000', '0x9c9ff7b63558a43ce4f77b32aab889bf88541f4601b66740be9c75c51d323b18', 'key_bb5d54052054643345ee', '0x127490c1f0b77c8f82dbd8fb1b4858de3293a2e32d55aa1056615015b6e41b52', '00000000000004000000', '00000000000000000001', 4102452137438, 4102452737000, NULL, NULL, '1000', NULL, NULL, '1000000000', '29319');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('2Qz5xfVpQSzxufAjRm9Quc8KrGtp1uuB5oErgxPdC8iP', 'complete', X'', '0x70b335c45bb18a9011de00825148df1dde5ea9a003851e8559924703c713905f', '00000000000000000000', 4102444807865, 0, '10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000', 'split', '69531000', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('E9NeKkmu2jri1vYcGu5XHxibiHGUvTUajLrALfRbbz2M', 'complete', X'', '0x70b335c45bb18a9011de00825148df1dde5ea9a003851e8559924703c713905f', '00000000000000000000', 4102444808088, 0, '50000000 50000000 50000000 50000000 50000000 50000000 50000000', 'split', '10399200', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('2zk3XUypMujQHqaqPkeV9ci4Hu972YikPXxSLYadsARz', 'complete', X'', '0xfe5e4f403fe37200593bb4232566b1a6f1ac8a6355f1e2cc252e95a205eaad1b', '00000000000000000000', 4102444808223, 0, '50000000 50000000 50000000', 'maintenance', '6249600', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('C7ihbMdF29CnJimtdCkisVgxFwmekRBDuUVywH2G9Rz1', 'complete', X'', '0xfe5e4f403fe37200593bb4232566b1a6f1ac8a6355f1e2cc252e95a205eaad1b', '00000000000000000000', 4102444808269, 0, '50000000 50000000 50000000 50000000 50000000 50000000 50000000', 'split', '10399200', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('6gWM1p7D4HSZTfqAcb55ogSpzgL3X8PzBHKBvXbSaVmD', 'complete', X'', '', '00000000000000000000', 4102444808806, 0, '995825200', 'convert', '4174800', '', '995825200', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('C9aj2ra3Ya4dg9s6pMAVn9fkLZzRTd2Txr8D3dMvW6KS', 'complete', X'', '0x1cdd1a20e1ab7d1b7f314f9f4f1baa2295f12fc508984580b7baf1fa079b7ae8', '00000000000000000000', 4102444808955, 0, '', 'take_in', '2110374', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('9jbWXv6iMDpkN7H9sHriwgW5YV3wJPfmyLLALX3VmKAE', 'complete', X'', '0x1cdd1a20e1ab7d1b7f314f9f4f1baa2295f12fc508984580b7baf1fa079b7ae8', '00000000000000000000', 4102448493384, 0, '', 'recycle', '3147774', '0x0de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14@4', '0', 0, '0', '0', '14742');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('GRLaeymirjsjSoHXNN8LRqqsX3KF2xJz7poBeaq3a4Pq', 'complete', X'', '0x55a3cf16225dd24594a56aeedc8375d42f9b7775a6d3e5da62d0fdf11e1e2e69', '00000000000000000000', 4102448493685, 0, '', 'withdraw', '4174800', '', '0', 0, '1000', '1000', '14742');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('DGD3JMivAXKnr3hxzZhMpx1mKCc7Br77HyWJ8yBNNDvD', 'pending', X'0000020020e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c23301000de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14080000000000000020d1e16ec403b6abe98dd151fb444819fb505f34fa4c003fc627bb68b29b4a9d31010101010100010000e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233011cdd1a20e1ab7d1b7f314f9f4f1baa2295f12fc508984580b7baf1fa079b7ae80800000000000000204903be2a61c79a58a34aa10035419e1d7bda7f0cb6faa48d081a9cea68f35f77e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000fe07300000000000010000000000000000', '0x1cdd1a20e1ab7d1b7f314f9f4f1baa2295f12fc508984580b7baf1fa079b7ae8', '00000000000000000000', 4102452135285, 1, '', 'recycle', '3147774', '0x0de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14@8', '0', 0, '0', '0', '29311');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('4n4nbyGdaJXWHGj2aFowjEC9yDhZin5Za3WyGjamGcnr', 'pending', X'000001010167f632fff5ae7c2abae8e01fb668586a10b85988190830d6b9eb19e1c8b2bfab07000000000000000101030001010000e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c2330168988add3dc99081141d7e90cef1e573a7524685f10590b7d7aeeeae66fc86c00400000000000000208ad74580f931528de134253218585d9073319bd27b990686ba916304cdbe4b19e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000a633200000000000010000000000000000', '0x68988add3dc99081141d7e90cef1e573a7524685f10590b7d7aeeeae66fc86c0', '00000000000000000000', 4102452135349, 1, '', 'take_in', '2110374', '', '0', 0, '0', '0', '29311');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('GhT4sQiYMsXpJcvuVw6XdyxpzPXsEm5qqydewTvvvpmC', 'pending', X'0000020020e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233000880b2e60e000000000202000701010001010001010001010001010001010001010001070300000000030000010003000002000300000300030000040003000005000300000600010000e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c23301c300c24ff2f8a689265479ecf5db5d9a653dc53507df90619427d6af38026341070000000000000020e115c94187b23d5564167df007f6a35a66c6afe9766c514a8a6104d318a9bb58e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233e803000000000000e0ad9e0000000000010000000000000000', '0xc300c24ff2f8a689265479ecf5db5d9a653dc53507df90619427d6af38026341', '00000000000000000000', 4102452135873, 1, '250000000 250000000 250000000 250000000 250000000 250000000 250000000', 'split', '10399200', '', '0', 0, '0', '0', '29311');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (1, 4102444807844, 'deposit', '0x70b335c45bb18a9011de00825148df1dde5ea9a003851e8559924703c713905f', '1500000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (2, 4102444808000, 'split', '2Qz5xfVpQSzxufAjRm9Quc8KrGtp1uuB5oErgxPdC8iP', '-64241880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (3, 4102444808148, 'split', 'E9NeKkmu2jri1vYcGu5XHxibiHGUvTUajLrALfRbbz2M', '-7925880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (4, 4102444808201, 'deposit', '0xfe5e4f403fe37200593bb4232566b1a6f1ac8a6355f1e2cc252e95a205eaad1b', '1400000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (5, 4102444808246, 'split', '2zk3XUypMujQHqaqPkeV9ci4Hu972YikPXxSLYadsARz', '-3973880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (6, 4102444808300, 'split', 'C7ihbMdF29CnJimtdCkisVgxFwmekRBDuUVywH2G9Rz1', '-7925880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (7, 4102444808779, 'deposit', 'checkpoint 5', '1000000000', '0', '1000000000', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (8, 4102444808837, 'convert', '6gWM1p7D4HSZTfqAcb55ogSpzgL3X8PzBHKBvXbSaVmD', '-1988000', '0', '-997813200', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (9, 4102444808969, 'deposit', '0x8e29f7df3c7a9d32886ac49d641559f4c622899ac450240c576b3da9505d6600', '20000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (10, 4102444808969, 'convert', 'C9aj2ra3Ya4dg9s6pMAVn9fkLZzRTd2Txr8D3dMvW6KS', '-31760', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (11, 4102444809024, 'reserve', 'CnsJCYXK9RrnFCw6mN7yqWNRHCbQsj8irzme4t3SJ46K', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (12, 4102444809068, 'reserve', '8wvy4Lek4dyYQYBDTkAQC9HGVGyeo4Si5YMNPBfRgZWE', '0', '1000001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (13, 4102444811079, 'charge', '8wvy4Lek4dyYQYBDTkAQC9HGVGyeo4Si5YMNPBfRgZWE', '-1361760', '-1000001000', '0', '1000', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (14, 4102444842320, 'reserve', 'EBd3W5KFhfhHjyrUyvAkj2jEkJqsDoaNZ8Wssv7QYz3i', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (15, 4102444842494, 'charge', 'EBd3W5KFhfhHjyrUyvAkj2jEkJqsDoaNZ8Wssv7QYz3i', '-2370280', '-5001000', '0', '1000', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (16, 4102444842551, 'reserve', 'Dx2r72D2K5PCFJjvR19RU6cFNxYPaQbmqdL4p6uTvak3', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (17, 4102448492708, 'release', 'CnsJCYXK9RrnFCw6mN7yqWNRHCbQsj8irzme4t3SJ46K', '0', '-5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (18, 4102448493453, 'recycle', 'Dx2r72D2K5PCFJjvR19RU6cFNxYPaQbmqdL4p6uTvak3', '-1019760', '0', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (19, 4102448493453, 'release', 'Dx2r72D2K5PCFJjvR19RU6cFNxYPaQbmqdL4p6uTvak3', '0', '-5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (20, 4102448493710, 'withdraw', 'GRLaeymirjsjSoHXNN8LRqqsX3KF2xJz7poBeaq3a4Pq', '-1998880', '0', '0', '-1000', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (21, 4102448493730, 'reserve', 'GCkGMkYxdyJCjPgS6VE8SVbZSGgwoikV5MHyhLc83RUg', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (22, 4102448529241, 'reserve', 'CBmjtzYmkFiKVshKF3y9T8915NGLtvinM6UA5t9D4JWT', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (23, 4102452135535, 'reserve', 'D7fFDPoc4CXfSYNwqyVeZj8e76n4cHbwWoGkfn88Ljkw', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (24, 4102452135546, 'reserve', 'EvHgiu7CPtSc6dVM15Knax97cuJKgRyFt2EhULaR8XBW', '0', '5001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (25, 4102452135829, 'deposit', '0xc300c24ff2f8a689265479ecf5db5d9a653dc53507df90619427d6af38026341', '20000000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (26, 4102452137408, 'reserve', 'HKVCKu239WBG3JGijSjoQ2tGJzWEePWAmp3hJ6u6BhPi', '0', '4001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (27, 4102452137438, 'reserve', '3QVTJL9EcgACfJDWBjsH4u7xefuiVCk1njnCwPQeKAW6', '0', '4001000', '0', '0', 'key_bb5d54052054643345ee');
INSERT INTO due (kind, reference, at_ms) VALUES ('own', 'DGD3JMivAXKnr3hxzZhMpx1mKCc7Br77HyWJ8yBNNDvD', 4102452145304);
INSERT INTO due (kind, reference, at_ms) VALUES ('own', '4n4nbyGdaJXWHGj2aFowjEC9yDhZin5Za3WyGjamGcnr', 4102452145413);
INSERT INTO due (kind, reference, at_ms) VALUES ('own', 'GhT4sQiYMsXpJcvuVw6XdyxpzPXsEm5qqydewTvvvpmC', 4102452145953);
INSERT INTO due (kind, reference, at_ms) VALUES ('recycle', '', 4102452150228);
INSERT INTO due (kind, reference, at_ms) VALUES ('scan', '', 4102452150304);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'D7fFDPoc4CXfSYNwqyVeZj8e76n4cHbwWoGkfn88Ljkw', 4102452150535);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'HKVCKu239WBG3JGijSjoQ2tGJzWEePWAmp3hJ6u6BhPi', 4102452152493);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'CBmjtzYmkFiKVshKF3y9T8915NGLtvinM6UA5t9D4JWT', 4102452435218);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'GCkGMkYxdyJCjPgS6VE8SVbZSGgwoikV5MHyhLc83RUg', 4102452435273);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'EvHgiu7CPtSc6dVM15Knax97cuJKgRyFt2EhULaR8XBW', 4102452735000);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '3QVTJL9EcgACfJDWBjsH4u7xefuiVCk1njnCwPQeKAW6', 4102452737000);
INSERT INTO due (kind, reference, at_ms) VALUES ('answers', '', 4102531242495);
INSERT INTO totals (only_row, balance_atoms, address_balance_atoms, in_flight_atoms, accrued_fees_atoms, nonce) VALUES (1, '23827162040', '2186800', '28006000', '1000', 1);
INSERT INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms) VALUES ('', 47482, 6, '28006000', '32759800', '1019760');
INSERT INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms) VALUES ('key_bb5d54052054643345ee', 47482, 6, '28006000', '32759800', '1019760');
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('admin withdraw the fixture''s withdrawal', 'Yj-25UxLSzqgQUM8kquIFLFlYtUA6tXv91JlQCYnGjA', 'GRLaeymirjsjSoHXNN8LRqqsX3KF2xJz7poBeaq3a4Pq', 9007199254740991);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_executeTransactionBlock/rfsbfTWxGDcyZTzwOQNISA9hW-XjQh9w0Im10QuhsK8', 'PgyoLsgEuQkKA4ASo08DbZF-3emCg_k04tvYn39kvKM', 'HKVCKu239WBG3JGijSjoQ2tGJzWEePWAmp3hJ6u6BhPi', 4102538537493);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_prepareTransactionBlock/complete too', 'cXQHv7yHgAd7PpH6N0EL4G3gnyEw35S-O1nrC9RfY68', 'EBd3W5KFhfhHjyrUyvAkj2jEkJqsDoaNZ8Wssv7QYz3i', 4102531242320);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_prepareTransactionBlock/dead', 'SRABeTyoOqH2iJehv6GKmk3ZxBDhaVxFQB_AYg-paL0', 'CnsJCYXK9RrnFCw6mN7yqWNRHCbQsj8irzme4t3SJ46K', 4102531209024);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_prepareTransactionBlock/hrKWpUqeQKKhykPq8KTgDEpkEt7bMZqLcRg_cwwn5UA', 'QkhP25QiH4_irYiGJdkIYcEnRzCZ8l1xyC9G0UrDjhE', 'HKVCKu239WBG3JGijSjoQ2tGJzWEePWAmp3hJ6u6BhPi', 4102538537408);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_prepareTransactionBlock/prepared', 'ZLaGPmYzrZL3LUGqHB0dpwMPoOM_BH3MKEeH3IyAC7Y', 'EvHgiu7CPtSc6dVM15Knax97cuJKgRyFt2EhULaR8XBW', 4102538535546);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_prepareTransactionBlock/yWkvHtS4S_TIqDXBChszk0RMSyt_ytxKr0wwE4hVjEc', 'QkhP25QiH4_irYiGJdkIYcEnRzCZ8l1xyC9G0UrDjhE', '3QVTJL9EcgACfJDWBjsH4u7xefuiVCk1njnCwPQeKAW6', 4102538537438);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_sponsorTransactionBlock/complete', 'H_RbBzJbB08JDr3i8TB_MuNUDht6VkIkCg6QNbJR8lI', '8wvy4Lek4dyYQYBDTkAQC9HGVGyeo4Si5YMNPBfRgZWE', 4102531209068);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_sponsorTransactionBlock/quarantined', 'DLGRVkjVqvHk0jLLEFv7EGJofttZ2XrwaX9Y1EGdBG8', 'CBmjtzYmkFiKVshKF3y9T8915NGLtvinM6UA5t9D4JWT', 4102534929241);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_sponsorTransactionBlock/recycled', 'gMcq1xkIXKC01g8w-81r4NvEIn4Ibv7M2vsv92QEUbw', 'Dx2r72D2K5PCFJjvR19RU6cFNxYPaQbmqdL4p6uTvak3', 4102531242551);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_sponsorTransactionBlock/signed', 'xHgCXvjTarpJjfxmo03f61M7zRDzXMQWejdT-u5Syr4', 'D7fFDPoc4CXfSYNwqyVeZj8e76n4cHbwWoGkfn88Ljkw', 4102538535535);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_bb5d54052054643345ee/gas_sponsorTransactionBlock/to be recycled', 'A2avnr4t_YKB42RKXO0u3bIrlbexmiPm-v9gX3t0u98', 'GCkGMkYxdyJCjPgS6VE8SVbZSGgwoikV5MHyhLc83RUg', 4102534893730);
INSERT INTO listeners (only_row, version, types) VALUES (1, 1, 'wallet.created fund.deposit sponsorship.completed sponsorship.expired');
INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (47482, '0x0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c', 'key_bb5d54052054643345ee', 23738040, 0);
INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (47482, '0x9c9ff7b63558a43ce4f77b32aab889bf88541f4601b66740be9c75c51d323b18', 'key_bb5d54052054643345ee', 8002000, 0);
INSERT INTO party_coin (object_id, start_version, balance_mist, tries, holder) VALUES ('0x67f632fff5ae7c2abae8e01fb668586a10b85988190830d6b9eb19e1c8b2bfab', '00000000000000000007', '00000000000020000000', 0, '4n4nbyGdaJXWHGj2aFowjEC9yDhZin5Za3WyGjamGcnr');
INSERT INTO kept_answer (digest, execution, bytes, expires_at_ms) VALUES ('EBd3W5KFhfhHjyrUyvAkj2jEkJqsDoaNZ8Wssv7QYz3i', X'0220c3e07e027ab1f7e5f5236dc7524e865ea6612107e06376ae0076e1f5b0f66ee9010000000000000000000040420f000000000070d5230000000000c8ec0e00000000009826000000000000010de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a1404000000000000000120150097a2ebeca3ab7ef3eb6798858b0800668014066b42d5a1b3f00ceb9483540120eb2028c7117f458236c8f24f3d6a8034e5ddd19a421a5fced773470d79a3f7fb020de923ab92cf7cbe476a191c82437b2380fc411c27ff88fe19b91393a1897a14019c013078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a636f696e3a3a436f696e3c3078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a7375693a3a5355493e000103000000000000002030202a5f5b35a67b20dfa85d1f1557345bc70adcfdc7d4007ff8519871cf6d100100e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233010400000000000000200ec4a40d08bfc5969756e2dbda11b6e73de60fb02ff22d4e139c919632606e420100e9929d236b9eb1ef75cfdb4d0a2386ab49467e075a389981816537086a25c233138f858a06497641a0afef4bbba80d29bcf7f764b124ef1ce2e3ff3d244ae491014f3078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030313a3a64656d6f3a3a426164676501000104000000000000002023ba3a92825b38dbf4269e4fa7fb6b7b5e96f374971deafded8b86a55421f3b701000382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3c01423078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030310464656d6f42307830333832333730656439626535393635366637636164346161373765353231336335396534613361346233643435376231386264313165386261313361643363553078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030313a3a64656d6f3a3a42616467654d696e7465644d138f858a06497641a0afef4bbba80d29bcf7f764b124ef1ce2e3ff3d244ae4910c636f6d706c65746520746f6f0382370ed9be59656f7cad4aa77e5213c59e4a3a4b3d457b18bd11e8ba13ad3cb4017b2262616467655f6964223a22307831333866383538613036343937363431613061666566346262626138306432396263663766373634623132346566316365326533666633643234346165343931222c226e616d65223a22636f6d706c65746520746f6f222c226f776e6572223a22307830333832333730656439626535393635366637636164346161373765353231336335396534613361346233643435376231386264313165386261313361643363227d01423078653939323964323336623965623165663735636664623464306132333836616234393436376530373561333839393831383136353337303836613235633233334c3078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a7375693a3a535549082d323337303238300000', 1364, 4102531242495);
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
