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
INSERT INTO schema_version (version) VALUES (5);
INSERT INTO fund (only_row, fund_id, project_id, network, name, created_at_ms, paused_cause, public_key, sealed_private_key, chain_identifier, epoch, mode, policy, sponsorship_fee_atoms, low_balance_atoms, low, seen_at_ms) VALUES (1, 'fund_01992a05fb009e73e669', 'prj_590238b8e6d8d5096ada', 'SUI_LOCALNET', 'fixture''s fund', 4102444802018, NULL, X'b45dfc0f769593886d145e20b872d34c0d940f0de91de97fb56f68d25a726275', X'010128bbaaa2cf8e467575bd3902c2caeeb78fead86ad2020959b7ec8848f1adc4402ce17d983fb9aede8f82e9c723a3cba46aa3beb64f92e9046517c1ac9a3c24da478cdd87ee511e7d8b90411c828f889c83253b8af6b89c07fba474a5a303e7068553a62e14a1a3254c529e44', 'E6anVv4Nhw6CDaNKuJYQp7rAgR9DfHMF94zvwfsnGirP', '0', 'coin', '{"moveTargets":{"allow":null,"deny":null},"senders":{"allow":null,"deny":["0x0000000000000000000000000000000000000000000000000000000000000bad"]},"maxGasBudget":null,"maxStorageCost":null,"maxInFlightCount":null,"maxInFlightAmount":null,"maxSpendPerDay":"100000000000","maxSpendPerSenderPerDay":null,"maxAbandonCostPerDay":null}', '1000', '1000000000', 0, 4102444837036);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x02b37d9685f0b215e2f372a5d6e53f522cbb93e660f7300bad385c360d7bcf92', '00000000000000000003', '5rYMdm2J6te9zoCQM21vVyFgVzEaJqnFCW2QERKUEXGP', '00000000000010000000', 'quarantined', '3sFvAZQGoKYbhDmgBQ8tmHHMFTDTy3xqdt78AMtWuSCM', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x02cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09', '00000000000000000008', 'H8iPJgetNjFjbGTcHBzQaBPkhr2AqZ7k5hwwePqrJQSC', '00000000000007629720', 'recycling', '3cFa9tbmKMBdZYntcvn7m3tkoEmTQCT2LceUSt3yDXie', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x06462eb5b9df7a141fe084d34ca23ad8cbaf0bf97749991bcc705df9a053c46b', '00000000000000000003', '4yDGjyDqfrs3KuKvHNaSJEs8vfzTUYaUBxhHdopom8DF', '00000000000010000000', 'held', '2HwPcvHi5KbpLX7PPnE3rTCYw6a5RJSPnxYiQ1uDzqKF', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x06b349e76c2cc2f4955bc337fa81b196d5344ab99ead53e51e648280c9fded83', '00000000000000000003', '7ii87mPohhh3pvNXWbUbWc9aDrdwJXEDqb1tbYefHLGF', '00000000000010000000', 'held', 'AEa4WUcB4ndeaWUX7VM4gSRfJAku92zFZzgJxwRxjcvw', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x077f38042aac2f8a2bf3bf333af002b2d8f7c066edbf5dca3dd6739d62f85e96', '00000000000000000003', '6jStaa2Uj7Z7LFfzjx44GiSomLjgDYBEyH3C5dcXDSsr', '00000000000010000000', 'held', '8cHWe3MosNM2epfdScPDYFSgixZuJJdZRafSsPwtcg42', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x0fc37f92610bcd123593365b549f1a4e9ad373038073f08effbaa4012b7d6f9a', '00000000000000000003', '5Cw666YTT5whWCAbxf56AYCvqc9sALqWeSjjXg8qCeCa', '00000000000010000000', 'held', '2YwpeWB4cspGzkE4qMSoPBwgPiUc4V93HJnKV4d7xQPi', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x136d1a49e382b54cbeb9d224528e10959bd233810c99ac86d24010ff14fc0b45', '00000000000000000003', '88LMA4DUSDyp5FXbVGfnJVMspx6oFRZfa2YJ46JkmKPC', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1551cd0d88d17608eba91498ef4681a7c16f2e7560c0f4fc73b054502660c7b4', '00000000000000000005', '6JNg49mFjMv1UB4yjFEfbcU6P1sXMKmjfASmHZg8Rjyb', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x165efe1317c0010d3e3ee1fd8a749a6cdf71a572079a557d60de413d01611abe', '00000000000000000003', 'DPJSNKbQ6tJrkga9m8D2jpgqRE9oNz19NS5qQbKyDVGg', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1661847dde1e037a8968a77fdc60890c345996ca20224e51f58e0404291cdcb3', '00000000000000000003', '9gqCsTSdo9MRS21N58DKUB8ofbUihPCREGTynggTidsb', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x17f7784120f8787505def5344ae1ea1e9ad3f445d5b65ebd525641862fbecc7e', '00000000000000000003', 'G6DEX1jVqz2BX8WANMGCcCAb52pYwGskpy2Y3LdQGTzv', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1999b409fac1e3c1eeb10914edeb94f4f3eecfe0fcd88cdf291f736e544c20b2', '00000000000000000003', 'xvw7apbbSxWwpiqS2fAXz8jUdrpJg9fQHdsTjEJMCD9', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x1b5c0330de536d743ebbc7f6726a862d24f1d095a317a4e58448dcae43895843', '00000000000000000004', '5x8XMNTH5YWg2voLcJoi6GmMvffLg1taMCaXaWrWC2RP', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x21ddde0e9ba7f372f8ffbf31940c109dc23bc25e64a793b9a60cc21ed1b2b1b4', '00000000000000000003', 'D5czBFZmpvtQ85vvRHc5dKjCRvooYLPKoBQgN5gEpUEX', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x22efd41bca2c2641b2c3a15abd784548c59483affd147d8a19dbc0bea1ccf911', '00000000000000000003', '61A2StikFuB179DN1YfiDaPCxLZwoSmADLHevsnwv46e', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x23c124a59531fdc5a85bb6e704f1161cb6611951758af2b30f9e5ca4c21c16c9', '00000000000000000003', 'FXNHffBiXfEJXdR4nZtr8zHmjH3f75xKffULniTCuSf6', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x25969970cb34f54d51c817558eef430c3b49e70387cc89b12fb6d1730750de34', '00000000000000000003', '5CvC58uSa5UYzUCtgGVY14mFKuuABPZVKYFqQnuhgTjJ', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x28b7200ee8d2e84065bb0c6cea6c64a233402cf59c9b56f7d5ecb1c7070f24cc', '00000000000000000003', 'AuRx2mvc9tWky82gKt4FWCur1987DPM9ZERWePsoQhuR', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x28f00b4de2af29bb87b87c35b99ace0957fb28cacddc1613a3494a96b72b02e9', '00000000000000000003', 'DuqSLgxZuW2eobvWCVnY3Q6Lcjo5aKcQKyNdKjoCbN6n', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x35714b9d5d960e56c39086d70738d831de4cb1052566ad0db1e740a6d904037f', '00000000000000000003', '9zSkL1ukQ9GzqFG22nHjuMBgJ6Zq67roHSw5994B9CeF', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x39a0a4a01f66c33e6b94c3082e6f547b3339647680f6266daa3a8271e0a62882', '00000000000000000005', 'BP1UjFcQPbt9Y4ZvBNzRbjrufkE5pTKQqqdJJsaEngsQ', '00000000000000000000', 'gone', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x3fc2f4b100ce8be29db25f1e0291f404ede67073ee989aef497e3b45771f43ce', '00000000000000000003', '43qcdnUczbCcwmTeyMZw98ZVqa2cQeVYwqf19tcvNjkC', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4095a676f3b2587af112a5f50d16f7d2390c0881240a9e7f03cac0f0458800d3', '00000000000000000003', 'SVjaKJReosDtTt1c8b3R1Dp7qZ6N2Zftwx53PyhDTQR', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x43664bbc2c18f14352f1afe97432594c44764ec6c651a6c7deb81d1732b7b096', '00000000000000000003', 'HwJT4N42BzYvGoCrANBoTv9ei5WoKysaxPoR7GUmqAAL', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x45903d23950e57bd1d40ae92f0576e05e67aa7de65324870367dfe09a911c3e0', '00000000000000000003', '8vT5LDZUb9XZdZSfXvabSkBiuNcP32Vj39Ror5BWG4V8', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4653e501187bde1d6b1b49e5311d3381141ef9dc9cbafed4692e91d6288a953f', '00000000000000000003', 'H9ZoDReWeRfMUm49ifH98EjsnRbgvyTDA8Vf2WaLoPFn', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x46d5b5e4dd24b142128e8ac483a92089e1281dbbb2c05d251b6098e431a3893f', '00000000000000000004', '8RSqJwokyE5qDDvfut6KQaXwWsX4aedcKV8h66DWwks6', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4a063d9338504e74f6060fb0550491340b622d3938f5db10d006f49775682c15', '00000000000000000003', '8mZKs3WLNsc5CpfQUtXxL7nCeffva84P5rpiuxXMWDNc', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x4b1f029b4fe0f927619afd64143916e52090e87a6ff0b433b8abb05469f9e0b3', '00000000000000000008', '2gwyT9dvZfvJbfedfB28SqhqrEUHyzxsoPuwXovsMHVw', '00000000000068948480', 'spending', '7jQZiHzcr2BEzZJnMoegGhsF8Tn4P3d7NEZMjYsXTvpm', 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5121df1378cddce89a6522073e3e7af484340c77377efdbd316e377bf1165caf', '00000000000000000004', 'CumWMU1w9baoQvBy8YccbFV6srRuycewCmqDhB7onQcu', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x54faf4dcd569121e85061f85adff51881def1a52fd76c994cafc93623e9fa17a', '00000000000000000004', '5QPZvLpND4722TVyG5m3fNeAhc1gP2vEYF6aVmza4BSw', '00000000000050000000', 'spending', '3XnXcfZq2DQXL2iwac6WX6GTZPcwdeaoDWNQpg72PQAu', 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x556ff0e170568dd5c5ace8831c2795c489466dd0ffd2cb3590999fdf8cd5d46c', '00000000000000000003', '3DVeo3kRtZ6ouotab6TMAaEawgkrZogzp39KNPDYQxCE', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x58293dc002e0a3a923218b38878d95af1970beaca108eea0881a31fae6458cad', '00000000000000000005', '5GATqqgturHu9AtMmvLqBFYxnTiXMZAsjvpkFGAVvKsy', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5cb6693d55e2f32d4c0ca394bdae4f169f9158f097ac20693f9cd86a85e2987f', '00000000000000000003', '4gLBZPvNB2GGECxsDu44LuHafNH9HN42pSC9rDeD83qp', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5cfdf6e193de1483011ef2a1906a3eec1603ed491a5026d6266789c13498fb22', '00000000000000000007', 'D6HrvmMC9PXUfyYFQcSTxmHp4EkmCpTuWssyw2ZfKCgx', '00000000001880564800', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x5e38d243a39acd89b0af4584dd6b96e3f265ce6001e7514329db5caefa8ea6c4', '00000000000000000003', 'GAdrXpympELSBixpS6cmS5paxfPtyPCSX87zGxZzKURt', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x60e1281fd56926f51c8f7507d908477ddce07e5f03124104e27b4c94ef075d48', '00000000000000000003', '7PR2teo5DmRux17HmR55UznGRVM3F1iMMteiPp9gNQi2', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6352db3a4e4e36d9997d6849768e29258f83b40520f1cd177880ed98e94a5a43', '00000000000000000007', 'DE3c4Zzm4PaP997p8GYU1JjTudMm764ToiFmpZyBV6KT', '00000000020000000000', 'spending', '8VePVWEtXQZESFayQoZ3DYkjBuW9jZEpvZHW9bsvMMsF', 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x63e7c3777a0a145ee51ce0dc08dc3e9df968fb88c973b662303801568a5453c2', '00000000000000000003', 'FKdPPEKxL6FZQq82xoTVAXc4jHyiNhPFhbtnSgbxFzmb', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x645f8c4bb7d84574539cee18f0733d258df566965ade3f3fd662b4e567b17eab', '00000000000000000003', 'E9udfBuerucb8iPGZunbmjepoxQXWp7CWPAWTDHoi1oh', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x671129faaea1dea0fade024180194c40e0c3287736e988e148fd29e423dc0599', '00000000000000000003', '7GWYbhptL8e1b9aUY25vHFtitZBtSjM6Kiy3EdvY9iq2', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x6a1d6e6aca1e16806313312f85e87354ed96c35efcdc4c6f4a77cca3ef01e014', '00000000000000000003', 'BKZWzLb4phXPLAtcYgNDJPHHH75FHWkbgsNCbCY9maGY', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x746f901a5f4a28b6d1780eb462ce1029c85dfffc1bbcb218ed72376a92579d94', '00000000000000000005', 'HcMsPUyNLsN8sqBVJFgKjtihyoYy2Z1Rv4BJieL3ioVA', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x75d9af60a63bf0f2992e032bb6aba44c637e6467d115bcf92bbccdcf9b843285', '00000000000000000003', '3HNtHpAb5kmttnjDs4zHDm2WB3qVjH4U46ZvyX4QwK93', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x7fd2d94ce1cc1e445145dfc29477e3a75651e7ca9fe3dd2263a7895df4483d88', '00000000000000000003', '9WdgVLcSBxT5V7p3KWcbxUEYtJfUEdLmbFbGaKvsYNau', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x818594f494acb629c33a48b2554c088dbcd9c4c6b4dd4f6b34eca064ec64f5fa', '00000000000000000003', '6ossf3cZmA41yQ1Fy5CLQPsXqrdLwLPrGvpcht4ZeYJD', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8345807570b90cec96c12c3417c87d4de44dc418e2dfd5afbda68dd3697b6111', '00000000000000000005', 'C5sAen4X3NiGiikX2wP7pz6sAGYHR3V7V3e8LB8wkkof', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x85d9f5c3f0a7bc662364462aa70bca52621993e2940eea7c4826a7687aef8f1e', '00000000000000000003', '2hqP9o3Krs8U5XKAC3RnDwPqAuxi2Z56rayFSdy2PY9B', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x888b2cb79c412eef5da2d12dc807ffe6c46b350fb3ffc0dfdbd28c73e3023640', '00000000000000000003', 'FPnFm6iED5xP4ZJVfPrDgHHjKJgfSHKaZ5bdAUkoZoJi', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x88c58420b89ac2f7085ddfffeca8a3455847a7c15d4b1fdf2522f2b75adb1a7b', '00000000000000000003', 'CoR6P7rTcRs78KLJY9gZV1wMg4s4eUxW4vbLMiv28Z1L', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x89389f5567b20093bcf70a14e79e23160480cd2b24fc37542ebb1ec1a3f6aa7a', '00000000000000000004', '6kJUVTg1GJJLe7Z27ugsvTRxABmXLMSdBUbosRqRnvzv', '00000000000050000000', 'free', NULL, 1);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x89448ed8b1d95c361a8b27cf80458bb55fdcee45c4680aba7ff70e1f50cd4984', '00000000000000000003', '6wRRK7L7GaZ1cE4ZQ25rkhqrhzkAM14Kq9p1Q989GR9X', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8a03d22dbab012b3cfefdb32f5c9547a29aa024a73eb8403c22c873624321b10', '00000000000000000003', '8yczMXJtkvHUGoybm1V9AYqEmK67BKp3wM3rfVzLhbxB', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8cde5d057cf021490b0300988d0dccbd883cc5ccd45069621482b2f3c3e70472', '00000000000000000004', '7QC3UqDmCThbFCV96HPajYwTS6Z8w8Av6n3L44Qde5ca', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8df6d13939f33329c02e9eace6e0da608a995709ba69f3fd2db57783f3e0fac8', '00000000000000000005', 'ENUv87izaWHzZPDAzLiphGYvNr6DsAYpoEVyWtLUGVR7', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x8f86bf880235fb25aeadba5c5ad1632ce09099c9d017a8e7b09c31eda964bb4d', '00000000000000000003', 'B6NYxrnEMxTCPj95TDJ6mSUfdVFH1p4crqhZNpuXfsje', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x90a92bf970ed4652aab5f6ea3e1dabeab4bd2b0da6a5276b5e3ac0bff1514157', '00000000000000000003', '6snrDXL3RbVhGrQdPNvjBjJnCWYzyMm8GqmcziNcEdBz', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x91886f82cdcdaa1f52b428c2d7ddfd9516aa481d8dd6ccf45b36fa14fc6781e0', '00000000000000000004', '4Bqf4FnN8QvgopzJ5BAYWtWAUro8GimPUnyfQLnzYYpu', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x927acc226d1cce643babc29514c2cf00b082491d7a034371f3ac8968694e75c6', '00000000000000000003', '9TggjZzwYJarvW2RCLJHCR33NBnPGa3eirCdQoBPp1LR', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0x94d8cba4d524f8fb60294fe26a251a20c88af26286ff94adf00477bd0282e374', '00000000000000000003', 'CuzVXEPa9TfwDW1JD8Zv5ZV1VpffgjZZtrU9VvdPoYBt', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb2e2e1f4a232bdc0b62a6bda6b3f67eb0392c02b9f11690d53f938e8d06f7cdb', '00000000000000000003', '8ca1DoNewwKeHj7SZ1gvV4ELD5FmFBnUfQaH5ghHazqo', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb5775d8d9404c94c438cb5fb041775933b71086c432b9e646fec35c9ca3350b2', '00000000000000000005', 'BKCSMCqS1SP937GV2eNs9XfWXfGgwjQ8XyE1uGttdaaC', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb6ff2c63fd6b344e71bffacd6536b8ca6d019fd2f75b7a8ec7d45febb2a3a4a1', '00000000000000000003', 'AfZVF5UUss1ZmirQcY17o3sFn96FBWjfr5dEpfvFRbop', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb73d8708713ea306e146b969e46b0a8419ae8fb7b875326c6abc068d46ec628c', '00000000000000000005', 'EDrHh8gHEuvr1Vd1DYTxKo6VKbhFagKyZWDwPayYHBy7', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xb7b5234ebd2c771b9f25daa3135b8125846e0bf7e706b2f98148dddf1334011f', '00000000000000000003', '2WRkMycP8kPcEJh5DqkE3Cm6iH6AcgRMm8Nd2qCWvf1Q', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xbbcfb6988f8e9d166ca0623033dee78fc9c94e706dd65e146c486a4857b64c63', '00000000000000000003', 'Eo6PcfgPVCSJWbtxws7ESAdV5EstcHqwgdLPv8duXViU', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc1f751bda6cf3c276d1d2b43f6f1454fa9ff4aa59020e59cdf7b0657a41cb810', '00000000000000000003', 'CbuJkwR1sRoaTx26ubx1bgKqSbm6wuUeBCwAAc2w4CXz', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc4235a0204e98955046d7ab35d53280e42f9c2775f572551f5a0d6e4fe7de1b0', '00000000000000000003', 'Ep5dwJE5YvKrrBerBt3eUVZsQ59BQLZCVigcijHSXD5v', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc54dbf0456e1a09d3b1bb168cbb8df663142beb6dfd6c2d7ac0b357b9efee4f5', '00000000000000000003', '38XVQMEXcnU6SqUBs6Hs1PVVQmssDcDDf91w6bpkSmWZ', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc55fac4c1e6442ad9ed9842727459fa9a92dad92da9e56322cab1436e11d0b43', '00000000000000000003', 'ARsiGwgFtUwjfCkZdjAtu2R1uBxGBZmeVsdNxjUtkb3D', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc5605b1ab924c7535e2dc5aa9bd82e5855622aaf257896566691ee4f63b1bfae', '00000000000000000003', 'HHDmgkcYzmATAAjDqA7yBuJ1aU5EhCSasotVWvQJXew4', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc5b63e77a56fc473ddef7e6c8f75544ca201b05e9576a738042d970924b6e9c0', '00000000000000000004', '7wKmvTSYRxzW3dhu9Wz5N81PNE6AoRwZycuvorQUTg4', '00000000000437832240', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xc69070acbe64b3a120b5744220f66706c6c0da6bc2e6dee886f25e2b98591087', '00000000000000000003', 'HhaNEwozeb5EBdsH5NueNJ2y78e9HwT9m78NR49qTg1i', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd339a7d67769962bac30637e027563164cf3b8d1847393b13ca64c515ea6ca25', '00000000000000000003', 'GhxvN14o2Nr5FiAkthCTZ3Jh4Hz5JicNm1grS4HRXLuR', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd3e1b5abc07b10abb5a68440d2b07163852f4423ca9f7dea2d73e3736839fac3', '00000000000000000003', 'GDCkTVk1gUgQyN9Sp4r1cTHDrcixYUij7K3wKnHhQHth', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd711d61f9ca7f9451cd65ad99227558f2fd18ab8946e9ef9d1e2fa62e95810cd', '18446744073709551615', '', '00000000000000000000', 'gone', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xd83601ade29d121610684dca926492831ec21820b3c75fca94d8c0edebc593d9', '00000000000000000003', '7qRUF1WGMWEPJ8TX2eA2sDWdFfcZMWyjd2gsEuRHqfWP', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe0b6f130767b72db21c59a39d2cf3828541a0122dd5e4dfb8523ceb01a0d6ddb', '00000000000000000003', '8f79xvbAURdKoxB26hgbaxts4jRtaEs41eFpP6fgbAw', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe0f3d2c6cd07780cf6430f31a0cb7d219a9c606afbcc164e6e6f520417705864', '00000000000000000003', '7e76GQR4smvCMDt8aBhVe9U2suNV7kUEye9PxMrPBkRP', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe38987a146b6737fb645d5c79ea6efa4a9419678f43a1dc183ebc84d7c5ff14e', '00000000000000000003', '5KhiFgVcyJa2Usqpfx4eXhuVH3fUutzqDv1Kd1FLzxuf', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xe5162fd1a031a585be42253ca50254c29d32e5281745829c6b6aeae68555e688', '00000000000000000003', '8UiyMUatMBk2VcGkaN1PWEMYcMWXVfshzSXezZs2Cr3Z', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xeb2022b9ae38b3bb1168147a012f040227aceab57e0fa46f00d8457981d1e9c1', '00000000000000000004', '8HKgHBGodA8MVhd1FZ1YYq9FFWfMjR3KtWTGd8Bbjkm9', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xec64e7f90812de886c681e40db52800918e16cfee6fd9a930e41a041e632ac55', '00000000000000000003', 'AtvStNsJTTqukCLvSknUub2JnVDfmvvRjr23Czc5QzNd', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf154b87930cf0ddedf06a47a4823712f0739a9eea292f1a0f64d7fb4ecec345f', '00000000000000000003', 'HJVE8DwjyUgu3eZRbGkLYpg1eH6YB33a9htCuTkKSub1', '00000000000010000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf2373348cf5f269b2eac02603359c7dcee682a843cae588630832031043b5d2b', '00000000000000000004', '6mDkEN7swZWcJVwqZteeygBALqks8tFCGQn8UdviBRNX', '00000000000050000000', 'free', NULL, 0);
INSERT INTO coin (object_id, version, digest, balance_mist, state, holder, maintenance) VALUES ('0xf82b3c0cffe4139701320a45cc2403540143642b822a109e3dc56a6967128279', '00000000000000000003', '4fB3eD4MGtTXwSoXuFvGMAXpSRswmaK6CAngTsq1knU3', '00000000000010000000', 'free', NULL, 0);
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('FRMoMLYKS8nvjBFK8hzAYgMk9MChLD1TwfkecZsCbVDQ', 'dead', X'', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x02b37d9685f0b215e2f372a5d6e53f522cbb93e660f7300bad385c360d7bcf92', '00000000000005000000', '00000000000000000001', 4102444803745, 4102445403000, NULL, NULL, '1000', NULL, NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('96f1VFY1azt1ahLw4nfUMAdmSMpQFLqshHwiEhB89GQS', 'complete', X'000001000908636f6d706c6574650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886025cfdf6e193de1483011ef2a1906a3eec1603ed491a5026d6266789c13498fb220100000000000000203898d5d28121e5bcc437d163d1392d9c661f5c772c4ac17dfa4eaa407eb74a2a39a0a4a01f66c33e6b94c3082e6f547b3339647680f6266daa3a8271e0a628820500000000000000209a383008504b1620577cc5c5047d3453bc28bcb29283b1f8ef8a93010fc74c5fed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee80300000000000000ca9a3b00000000010100000000000000', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x5cfdf6e193de1483011ef2a1906a3eec1603ed491a5026d6266789c13498fb22', '00000000001000000000', '00000000000000000001', 4102444803773, 4102448403000, '1361760', 4102444803773, '1000', '1956240', NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('Msn1p7iptHpZ7CVCGQ1RFhyh8XRUiE3JbwPqHUtvobn', 'complete', X'000001000d0c636f6d706c65746520746f6f0100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb018860102cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09030000000000000020e27ae35aa302f928be2e1a9dc90615e80705718e9b0b7b49d49685f3c1190d5eed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000404b4c0000000000010100000000000000', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x02cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09', '00000000000005000000', '00000000000000000001', 4102444837195, 4102445437000, '2370280', 4102444837240, '1000', '978120', NULL, '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('GrLgHpk1yPYYhkEJHuQkd4s2GEqsyevkf58zUDzzdn29', 'dead', X'', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x02cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09', '00000000000005000000', '00000000000000000001', 4102444837501, 4102448437000, NULL, 4102444837501, '1000', NULL, '1019760', '1000000000', '1');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('3cFa9tbmKMBdZYntcvn7m3tkoEmTQCT2LceUSt3yDXie', 'expired', X'000001000f0e746f2062652072656379636c65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb018860102cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09080000000000000020efb4d9a45ee5722087eea8d7ade98c408a7b557aa1e2f18405335b2b950d4ea9ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000404b4c0000000000010100000000000000', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x02cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09', '00000000000005000000', '00000000000000000001', 4102448493659, 4102452093000, NULL, 4102448493659, '1000', NULL, NULL, '1000000000', '14763');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('3sFvAZQGoKYbhDmgBQ8tmHHMFTDTy3xqdt78AMtWuSCM', 'expired', X'000001000c0b71756172616e74696e65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb018860102b37d9685f0b215e2f372a5d6e53f522cbb93e660f7300bad385c360d7bcf92030000000000000020481fa9527eaaef36219004acbff4b1144cc3c2d24234c6b1d87205642dc7432ced9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000404b4c0000000000010100000000000000', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x02b37d9685f0b215e2f372a5d6e53f522cbb93e660f7300bad385c360d7bcf92', '00000000000005000000', '00000000000000000001', 4102448529850, 4102452129000, NULL, 4102448529850, '1000', NULL, NULL, '1000000000', '14909');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('2HwPcvHi5KbpLX7PPnE3rTCYw6a5RJSPnxYiQ1uDzqKF', 'signed', X'0000010007067369676e65640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb018860106462eb5b9df7a141fe084d34ca23ad8cbaf0bf97749991bcc705df9a053c46b0300000000000000203af9761e177952ff08c44ee62820d3c8875f5f2bbce7c124af85a84111b2a462ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000404b4c0000000000010100000000000000', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x06462eb5b9df7a141fe084d34ca23ad8cbaf0bf97749991bcc705df9a053c46b', '00000000000005000000', '00000000000000000001', 4102452137386, 4102455737000, NULL, 4102452137386, '1000', NULL, NULL, '1000000000', '29339');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('AEa4WUcB4ndeaWUX7VM4gSRfJAku92zFZzgJxwRxjcvw', 'prepared', X'00000100090870726570617265640100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e7400010100009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb018860106b349e76c2cc2f4955bc337fa81b196d5344ab99ead53e51e648280c9fded8303000000000000002063d56eac462028e73e861615e99989ae21864c86bfb344a8017403d8a5d591e0ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000404b4c0000000000010100000000000000', '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', '0x06b349e76c2cc2f4955bc337fa81b196d5344ab99ead53e51e648280c9fded83', '00000000000005000000', '00000000000000000001', 4102452137442, 4102452737000, NULL, NULL, '1000', NULL, NULL, '1000000000', '29339');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('8cHWe3MosNM2epfdScPDYFSgixZuJJdZRafSsPwtcg42', 'signed', X'000001000807666978747572650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e740001010000c096c29d5965f3186083742c8bd2e4d7b43788b82e731be990b706a6fadefbf701077f38042aac2f8a2bf3bf333af002b2d8f7c066edbf5dca3dd6739d62f85e96030000000000000020552a1a0ab2514496037e5259da3ccfc2014fdd9fc45b7caa9ba24a2db61d64a9ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee80300000000000000093d0000000000010100000000000000', '0xc096c29d5965f3186083742c8bd2e4d7b43788b82e731be990b706a6fadefbf7', 'key_6106687dd988892a7b4a', '0x077f38042aac2f8a2bf3bf333af002b2d8f7c066edbf5dca3dd6739d62f85e96', '00000000000004000000', '00000000000000000001', 4102452138810, 4102452738000, NULL, 4102452138863, '1000', NULL, NULL, '1000000000', '29345');
INSERT INTO sponsorship (digest, state, transaction_bytes, sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, charged_mist, signed_at_ms, fee_mist, rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint) VALUES ('2YwpeWB4cspGzkE4qMSoPBwgPiUc4V93HJnKV4d7xQPi', 'prepared', X'000001000807666978747572650100dec0de00000000000000000000000000000000000000000000000000000000010464656d6f046d696e740001010000c096c29d5965f3186083742c8bd2e4d7b43788b82e731be990b706a6fadefbf7010fc37f92610bcd123593365b549f1a4e9ad373038073f08effbaa4012b7d6f9a0300000000000000203e7d4b35a0d5fbf9fbe3e6f2f8eefac48bd4fea89e67ae965a3075f119c5ababed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee80300000000000000093d0000000000010100000000000000', '0xc096c29d5965f3186083742c8bd2e4d7b43788b82e731be990b706a6fadefbf7', 'key_6106687dd988892a7b4a', '0x0fc37f92610bcd123593365b549f1a4e9ad373038073f08effbaa4012b7d6f9a', '00000000000004000000', '00000000000000000001', 4102452138839, 4102452738000, NULL, NULL, '1000', NULL, NULL, '1000000000', '29345');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('8vfo3MzU7JZisdsvruuCweifULCze5yMcXM8rb3N7wm2', 'complete', X'', '0xc5b63e77a56fc473ddef7e6c8f75544ca201b05e9576a738042d970924b6e9c0', '00000000000000000000', 4102444802824, 0, '10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000 10000000', 'split', '69531000', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('8wu6VYYVHGjnLo4xPCNQqLiiS5YkjYmmPRakDmwZBqHc', 'complete', X'', '0xc5b63e77a56fc473ddef7e6c8f75544ca201b05e9576a738042d970924b6e9c0', '00000000000000000000', 4102444802912, 0, '50000000 50000000 50000000 50000000 50000000 50000000 50000000', 'split', '10399200', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('2FQQtzKxYEbPT9JVqe3HtoanWAfUM1EFoAcemYPmwGQB', 'complete', X'', '0x39a0a4a01f66c33e6b94c3082e6f547b3339647680f6266daa3a8271e0a62882', '00000000000000000000', 4102444802986, 0, '50000000 50000000 50000000', 'maintenance', '6249600', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('2gJ6nY5acSXuXuXJ13XFjpXfv2atmpcTApyxYJQoZEvT', 'complete', X'', '0x39a0a4a01f66c33e6b94c3082e6f547b3339647680f6266daa3a8271e0a62882', '00000000000000000000', 4102444803001, 0, '50000000 50000000 50000000 50000000 50000000 50000000 50000000', 'split', '10399200', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('MrHuWStQfYHM4pngzzfANzmUG3k4WPfsuejxQarjiys', 'complete', X'', '', '00000000000000000000', 4102444803519, 0, '995825200', 'convert', '4174800', '', '995825200', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('DBRv2ABLo2k8Hck63TQutScegp3ZqC7Sq7uAaPDHwZnT', 'complete', X'', '0x4b1f029b4fe0f927619afd64143916e52090e87a6ff0b433b8abb05469f9e0b3', '00000000000000000000', 4102444803688, 0, '', 'take_in', '2110374', '', '0', 0, '0', '0', '1');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('DDtG7JJU4Dv4WzDWC4pxZ4j9cYaiTca96SCeDLZccdfL', 'complete', X'', '0x4b1f029b4fe0f927619afd64143916e52090e87a6ff0b433b8abb05469f9e0b3', '00000000000000000000', 4102448493227, 0, '', 'recycle', '3147774', '0x02cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09@4', '0', 0, '0', '0', '14763');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('AFnFfRPhi8KZ8HUVHqaugzR4KUaNWz5Fox7cDAHF696e', 'complete', X'', '0x5cfdf6e193de1483011ef2a1906a3eec1603ed491a5026d6266789c13498fb22', '00000000000000000000', 4102448493558, 0, '', 'withdraw', '4174800', '', '0', 0, '1000', '1000', '14763');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('7jQZiHzcr2BEzZJnMoegGhsF8Tn4P3d7NEZMjYsXTvpm', 'pending', X'0000020020ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e010002cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09080000000000000020efb4d9a45ee5722087eea8d7ade98c408a7b557aa1e2f18405335b2b950d4ea9010101010100010000ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e014b1f029b4fe0f927619afd64143916e52090e87a6ff0b433b8abb05469f9e0b308000000000000002019177f39f1904ca69186d42086d35ff1683fdc20ab2d034b301492e3cdcfebaeed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000fe07300000000000010000000000000000', '0x4b1f029b4fe0f927619afd64143916e52090e87a6ff0b433b8abb05469f9e0b3', '00000000000000000000', 4102452137210, 1, '', 'recycle', '3147774', '0x02cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09@8', '0', 0, '0', '0', '29339');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('3XnXcfZq2DQXL2iwac6WX6GTZPcwdeaoDWNQpg72PQAu', 'pending', X'00000101011726ec7000a6353cbfc4dd59253deba8ce9727b10d3bbdad819aa4857e3f211f07000000000000000101030001010000ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e0154faf4dcd569121e85061f85adff51881def1a52fd76c994cafc93623e9fa17a040000000000000020416c9fa190d4b4d1ea3176ff27355c2ff80c5d194c8da5f771039799c57c1370ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000a633200000000000010000000000000000', '0x54faf4dcd569121e85061f85adff51881def1a52fd76c994cafc93623e9fa17a', '00000000000000000000', 4102452137263, 1, '', 'take_in', '2110374', '', '0', 0, '0', '0', '29339');
INSERT INTO own_transaction (digest, state, transaction_bytes, gas_object_id, expiration_epoch, created_at_ms, resends, created_mist, purpose, gas_budget_mist, inputs, redeemed_mist, sweeps, paid_out_mist, collected_fees_mist, since_checkpoint) VALUES ('8VePVWEtXQZESFayQoZ3DYkjBuW9jZEpvZHW9bsvMMsF', 'pending', X'0000020020ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e000880b2e60e000000000202000701010001010001010001010001010001010001010001070300000000030000010003000002000300000300030000040003000005000300000600010000ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e016352db3a4e4e36d9997d6849768e29258f83b40520f1cd177880ed98e94a5a43070000000000000020b5a3bd1268541c2f8c29c1b066b1293b04de6d8601db3c0c9956fdfefae5c162ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0ee803000000000000e0ad9e0000000000010000000000000000', '0x6352db3a4e4e36d9997d6849768e29258f83b40520f1cd177880ed98e94a5a43', '00000000000000000000', 4102452137637, 1, '250000000 250000000 250000000 250000000 250000000 250000000 250000000', 'split', '10399200', '', '0', 0, '0', '0', '29339');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (1, 4102444802778, 'deposit', '0xc5b63e77a56fc473ddef7e6c8f75544ca201b05e9576a738042d970924b6e9c0', '1500000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (2, 4102444802887, 'split', '8vfo3MzU7JZisdsvruuCweifULCze5yMcXM8rb3N7wm2', '-64241880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (3, 4102444802906, 'deposit', '0x39a0a4a01f66c33e6b94c3082e6f547b3339647680f6266daa3a8271e0a62882', '1400000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (4, 4102444802976, 'split', '8wu6VYYVHGjnLo4xPCNQqLiiS5YkjYmmPRakDmwZBqHc', '-7925880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (5, 4102444802995, 'split', '2FQQtzKxYEbPT9JVqe3HtoanWAfUM1EFoAcemYPmwGQB', '-3973880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (6, 4102444803019, 'split', '2gJ6nY5acSXuXuXJ13XFjpXfv2atmpcTApyxYJQoZEvT', '-7925880', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (7, 4102444803503, 'deposit', 'checkpoint 4', '1000000000', '0', '1000000000', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (8, 4102444803539, 'convert', 'MrHuWStQfYHM4pngzzfANzmUG3k4WPfsuejxQarjiys', '-1988000', '0', '-997813200', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (9, 4102444803714, 'deposit', '0xd711d61f9ca7f9451cd65ad99227558f2fd18ab8946e9ef9d1e2fa62e95810cd', '20000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (10, 4102444803714, 'convert', 'DBRv2ABLo2k8Hck63TQutScegp3ZqC7Sq7uAaPDHwZnT', '-31760', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (11, 4102444803745, 'reserve', 'FRMoMLYKS8nvjBFK8hzAYgMk9MChLD1TwfkecZsCbVDQ', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (12, 4102444803773, 'reserve', '96f1VFY1azt1ahLw4nfUMAdmSMpQFLqshHwiEhB89GQS', '0', '1000001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (13, 4102444805798, 'charge', '96f1VFY1azt1ahLw4nfUMAdmSMpQFLqshHwiEhB89GQS', '-1361760', '-1000001000', '0', '1000', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (14, 4102444837195, 'reserve', 'Msn1p7iptHpZ7CVCGQ1RFhyh8XRUiE3JbwPqHUtvobn', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (15, 4102444837379, 'charge', 'Msn1p7iptHpZ7CVCGQ1RFhyh8XRUiE3JbwPqHUtvobn', '-2370280', '-5001000', '0', '1000', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (16, 4102444837501, 'reserve', 'GrLgHpk1yPYYhkEJHuQkd4s2GEqsyevkf58zUDzzdn29', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (17, 4102448492821, 'release', 'FRMoMLYKS8nvjBFK8hzAYgMk9MChLD1TwfkecZsCbVDQ', '0', '-5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (18, 4102448493243, 'recycle', 'GrLgHpk1yPYYhkEJHuQkd4s2GEqsyevkf58zUDzzdn29', '-1019760', '0', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (19, 4102448493243, 'release', 'GrLgHpk1yPYYhkEJHuQkd4s2GEqsyevkf58zUDzzdn29', '0', '-5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (20, 4102448493607, 'withdraw', 'AFnFfRPhi8KZ8HUVHqaugzR4KUaNWz5Fox7cDAHF696e', '-1998880', '0', '0', '-1000', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (21, 4102448493659, 'reserve', '3cFa9tbmKMBdZYntcvn7m3tkoEmTQCT2LceUSt3yDXie', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (22, 4102448529850, 'reserve', '3sFvAZQGoKYbhDmgBQ8tmHHMFTDTy3xqdt78AMtWuSCM', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (23, 4102452137386, 'reserve', '2HwPcvHi5KbpLX7PPnE3rTCYw6a5RJSPnxYiQ1uDzqKF', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (24, 4102452137442, 'reserve', 'AEa4WUcB4ndeaWUX7VM4gSRfJAku92zFZzgJxwRxjcvw', '0', '5001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (25, 4102452137578, 'deposit', '0x6352db3a4e4e36d9997d6849768e29258f83b40520f1cd177880ed98e94a5a43', '20000000000', '0', '0', '0', NULL);
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (26, 4102452138810, 'reserve', '8cHWe3MosNM2epfdScPDYFSgixZuJJdZRafSsPwtcg42', '0', '4001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO ledger (sequence, at_ms, kind, reference, balance_atoms, in_flight_atoms, address_balance_atoms, accrued_fees_atoms, key_id) VALUES (27, 4102452138839, 'reserve', '2YwpeWB4cspGzkE4qMSoPBwgPiUc4V93HJnKV4d7xQPi', '0', '4001000', '0', '0', 'key_6106687dd988892a7b4a');
INSERT INTO due (kind, reference, at_ms) VALUES ('own', '7jQZiHzcr2BEzZJnMoegGhsF8Tn4P3d7NEZMjYsXTvpm', 4102452147233);
INSERT INTO due (kind, reference, at_ms) VALUES ('own', '3XnXcfZq2DQXL2iwac6WX6GTZPcwdeaoDWNQpg72PQAu', 4102452147274);
INSERT INTO due (kind, reference, at_ms) VALUES ('own', '8VePVWEtXQZESFayQoZ3DYkjBuW9jZEpvZHW9bsvMMsF', 4102452147904);
INSERT INTO due (kind, reference, at_ms) VALUES ('recycle', '', 4102452152143);
INSERT INTO due (kind, reference, at_ms) VALUES ('scan', '', 4102452152233);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '2HwPcvHi5KbpLX7PPnE3rTCYw6a5RJSPnxYiQ1uDzqKF', 4102452152386);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '8cHWe3MosNM2epfdScPDYFSgixZuJJdZRafSsPwtcg42', 4102452153863);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '3sFvAZQGoKYbhDmgBQ8tmHHMFTDTy3xqdt78AMtWuSCM', 4102452437139);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '3cFa9tbmKMBdZYntcvn7m3tkoEmTQCT2LceUSt3yDXie', 4102452437161);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', 'AEa4WUcB4ndeaWUX7VM4gSRfJAku92zFZzgJxwRxjcvw', 4102452737000);
INSERT INTO due (kind, reference, at_ms) VALUES ('settle', '2YwpeWB4cspGzkE4qMSoPBwgPiUc4V93HJnKV4d7xQPi', 4102452738000);
INSERT INTO due (kind, reference, at_ms) VALUES ('answers', '', 4102531237400);
INSERT INTO totals (only_row, balance_atoms, address_balance_atoms, in_flight_atoms, accrued_fees_atoms, nonce) VALUES (1, '23827162040', '2186800', '28006000', '1000', 1);
INSERT INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms) VALUES ('', 47482, 6, '28006000', '32759800', '1019760');
INSERT INTO usage (scope, day, in_flight_count, in_flight_atoms, spent_atoms, abandon_cost_atoms) VALUES ('key_6106687dd988892a7b4a', 47482, 6, '28006000', '32759800', '1019760');
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('admin withdraw the fixture''s withdrawal', 'R4-KT03okCyRIUvVBfGfvf4VP_Wfn1IrP_LgxUcwqdw', 'AFnFfRPhi8KZ8HUVHqaugzR4KUaNWz5Fox7cDAHF696e', 9007199254740991);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_executeTransactionBlock/rfsbfTWxGDcyZTzwOQNISA9hW-XjQh9w0Im10QuhsK8', 'AGsCCe-3ixxn-l5n9KaZB8LW9u_jqbMe2b-ZFeOvj2A', '8cHWe3MosNM2epfdScPDYFSgixZuJJdZRafSsPwtcg42', 4102538538863);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_prepareTransactionBlock/complete too', 'de6jmlXRTmD_BO2W5sYxU-4bNQ7EC9ch_osg-dKo70c', 'Msn1p7iptHpZ7CVCGQ1RFhyh8XRUiE3JbwPqHUtvobn', 4102531237195);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_prepareTransactionBlock/dead', '_arKSmtlnkp0YfKAPr2byhA_vp4ywPaZ5-JM-ZMW6RE', 'FRMoMLYKS8nvjBFK8hzAYgMk9MChLD1TwfkecZsCbVDQ', 4102531203745);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_prepareTransactionBlock/hrKWpUqeQKKhykPq8KTgDEpkEt7bMZqLcRg_cwwn5UA', 'oM3ifCYDMgmxhII0RkN39yvuteOmaWjsww1HnTwFDog', '8cHWe3MosNM2epfdScPDYFSgixZuJJdZRafSsPwtcg42', 4102538538810);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_prepareTransactionBlock/prepared', 'iBycc12AfgwSNwvGDq7JirhdDw5l46mrLK_IxGYgTTE', 'AEa4WUcB4ndeaWUX7VM4gSRfJAku92zFZzgJxwRxjcvw', 4102538537442);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_prepareTransactionBlock/yWkvHtS4S_TIqDXBChszk0RMSyt_ytxKr0wwE4hVjEc', 'oM3ifCYDMgmxhII0RkN39yvuteOmaWjsww1HnTwFDog', '2YwpeWB4cspGzkE4qMSoPBwgPiUc4V93HJnKV4d7xQPi', 4102538538839);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_sponsorTransactionBlock/complete', '_sa2LAEDvaIM5klHEsH-aUjLb67HHXD48mFmUbtc8PM', '96f1VFY1azt1ahLw4nfUMAdmSMpQFLqshHwiEhB89GQS', 4102531203773);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_sponsorTransactionBlock/quarantined', '7Tdy1mRJCePR-kblaLdE1bw8YwdMyYNQn4pbXo7RyMo', '3sFvAZQGoKYbhDmgBQ8tmHHMFTDTy3xqdt78AMtWuSCM', 4102534929850);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_sponsorTransactionBlock/recycled', 'WOXTedkLfD5YnQG4zPwFOeMZntokvkvZpUoGX4TXOUE', 'GrLgHpk1yPYYhkEJHuQkd4s2GEqsyevkf58zUDzzdn29', 4102531237501);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_sponsorTransactionBlock/signed', 'JT84dBlmV_wQEKNyQLCVbSDni0hheZEDpP3GXpbHsZw', '2HwPcvHi5KbpLX7PPnE3rTCYw6a5RJSPnxYiQ1uDzqKF', 4102538537386);
INSERT INTO idempotency (scope, fingerprint, reference, expires_at_ms) VALUES ('key_6106687dd988892a7b4a/gas_sponsorTransactionBlock/to be recycled', 'RahT6s5KHDp7fS58vNAm9yAtW6AyDLI_QcJ2KtIQYZs', '3cFa9tbmKMBdZYntcvn7m3tkoEmTQCT2LceUSt3yDXie', 4102534893659);
INSERT INTO listeners (only_row, version, types) VALUES (1, 1, 'wallet.created fund.deposit sponsorship.completed sponsorship.expired');
INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (47482, '0x9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886', 'key_6106687dd988892a7b4a', 23738040, 0);
INSERT INTO sender_usage (day, sender, key_id, spent_atoms, stopped) VALUES (47482, '0xc096c29d5965f3186083742c8bd2e4d7b43788b82e731be990b706a6fadefbf7', 'key_6106687dd988892a7b4a', 8002000, 0);
INSERT INTO party_coin (object_id, start_version, balance_mist, tries, holder) VALUES ('0x1726ec7000a6353cbfc4dd59253deba8ce9727b10d3bbdad819aa4857e3f211f', '00000000000000000007', '00000000000020000000', 0, '3XnXcfZq2DQXL2iwac6WX6GTZPcwdeaoDWNQpg72PQAu');
INSERT INTO kept_answer (digest, execution, bytes, expires_at_ms) VALUES ('Msn1p7iptHpZ7CVCGQ1RFhyh8XRUiE3JbwPqHUtvobn', X'0220055907664e678f493d9b4c04e8bfb45005ef5c1c86e2f1e6b51ce8701c3faeb1010000000000000000000040420f000000000070d5230000000000c8ec0e000000000098260000000000000102cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc090400000000000000012075c174a636f3fd88fe749ab557788dae56803a7ac9d8770326cd182152bf60110120dd9e21346b04bee8fc07521aa3edc6f67c457de88ea7bd552645d0bbc39a6ebe0202cb11a69bdc972698e4f388d4df18b1ea75a3d803503f36fe0a0b6e1afffc09019c013078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a636f696e3a3a436f696e3c3078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a7375693a3a5355493e0001030000000000000020e27ae35aa302f928be2e1a9dc90615e80705718e9b0b7b49d49685f3c1190d5e0100ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e01040000000000000020f67347381ccdecc4cf7d601715bf2fd88850a5147688fc930f0da09924694ec20100ed9a8a1807194e7feeb11c3d47d685b8ae7b78f378d63eb6b9315a7ad15a9b0e65b7a6fe4c7e77479c54a37607cc36755dd227538033107addda781fa61eb93f014f3078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030313a3a64656d6f3a3a426164676501000104000000000000002025dd25af0ec13170daccc12111b798a2c00a04727121a7fc0344024e82d6dd2501009e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb0188601423078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030310464656d6f42307839653938366564336436643036303230326132383033633539396663326565356561336538623530303333653562633035303132396435656263623031383836553078646563306465303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030313a3a64656d6f3a3a42616467654d696e7465644d65b7a6fe4c7e77479c54a37607cc36755dd227538033107addda781fa61eb93f0c636f6d706c65746520746f6f9e986ed3d6d060202a2803c599fc2ee5ea3e8b50033e5bc050129d5ebcb01886b4017b2262616467655f6964223a22307836356237613666653463376537373437396335346133373630376363333637353564643232373533383033333130376164646461373831666136316562393366222c226e616d65223a22636f6d706c65746520746f6f222c226f776e6572223a22307839653938366564336436643036303230326132383033633539396663326565356561336538623530303333653562633035303132396435656263623031383836227d01423078656439613861313830373139346537666565623131633364343764363835623861653762373866333738643633656236623933313561376164313561396230654c3078303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030323a3a7375693a3a535549082d323337303238300000', 1364, 4102531237400);
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
