/**
 * One consistent example for the documents. The sender makes an empty balance and destroys it, which works on every
 * chain. The fund pays. Keys, digests and signatures belong together and can be checked with the chain's SDK. The key
 * pairs have the seeds 0x01… (sender) and 0x02… (fund).
 */
const sender = "0x29dfbf688abce7ab43bb8e70cae158ae961196e721440f515482f8ba1684390f";
const fund = "0x7799ea80594c35644321148485238c7a7a1c6549809e1795e6747c6d4da2504c";
const gasCoin = "0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0";

const kind =
  "AAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACB2JhbGFuY2UEemVybwEHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIDc3VpA1NVSQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACB2JhbGFuY2UMZGVzdHJveV96ZXJvAQcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgNzdWkDU1VJAAECAAA=";
const txBytes =
  "AAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgdiYWxhbmNlBHplcm8BBwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA3N1aQNTVUkAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgdiYWxhbmNlDGRlc3Ryb3lfemVybwEHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIDc3VpA1NVSQABAgAAKd+/aIq856tDu45wyuFYrpYRluchRA9RVIL4uhaEOQ8BwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMAABAAAAAAAACADAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA3eZ6oBZTDVkQyEUhIUjjHp6HGVJgJ4XleZ0fG1NolBM6AMAAAAAAABAS0wAAAAAAAFlAAAAAAAAAA==";
const txDigest = "AzCVUFj2GGgrpDPt3yUNiMWftDPqiN7y3YoDvw4K7cGH";
const sponsorSignature =
  "AO0U6BXKgemL0+bfiTwWsbxPKofmoGK7R6eF++LaSQrA1hb+gcS0NJhYelJ2Pf9TxSTLauHRRT3sQ39oDtRZ2QCBOXcOqH0XX1ajVGbDTH7My42KkbTuN6Jd9g9bj8mzlA==";
const senderSignature =
  "ANVP6od+M1y6WH1WIrEPz0TClzg+ZZNBCDoScD2gAnEScuNaDyavMhLZ6c36iq6djSc32KRGSRUvRMXg8g0DawSKiOPddAnxlf1S2y08ul1yymcJvx2UEhvzdIgBtA9vXA==";
const budget = "5000000";
const expireAtTime = 1_900_000_000;

const gasObject = {
  owner: { AddressOwner: fund },
  reference: { objectId: gasCoin, version: 1025, digest: "GgBaCs3NCBuZN12kCJgAW63ydqohFkHEdfdEXBPzLHq" },
};

/** The example of `gas_sponsorTransactionBlock`. */
export const sponsorExample = {
  params: [kind, sender, budget],
  result: { txBytes, txDigest, signature: sponsorSignature, expireAtTime },
};

/** The example of `gas_getSponsoredTransactionBlockStatus`. */
export const statusExample = { params: [txDigest], result: "IN_FLIGHT" };

/** The example of `gas_getFund` on Sui. */
export const fundExample = {
  params: [],
  result: {
    network: "SUI_TESTNET",
    name: "My fund",
    balance: 100_000_000_000,
    inFlight: 5_000_000,
    depositAddress: fund,
  },
};

/** The example of `gas_prepareTransactionBlock`. */
export const prepareExample = { params: [kind, sender, budget], result: { txBytes, txDigest, expireAtTime } };

/** The example of `gas_executeTransactionBlock`. */
export const executeExample = {
  params: [txDigest, senderSignature],
  result: {
    digest: txDigest,
    effects: {
      messageVersion: "v1",
      status: { status: "success" },
      executedEpoch: "100",
      gasUsed: {
        computationCost: "1000000",
        storageCost: "988000",
        storageRebate: "978120",
        nonRefundableStorageFee: "9880",
      },
      modifiedAtVersions: [{ objectId: gasCoin, sequenceNumber: "1024" }],
      transactionDigest: txDigest,
      mutated: [gasObject],
      gasObject,
      dependencies: ["LbUiWL3xVV8hTFYBVdbTNrpDo41NKS6o3LHHuDzjfcY"],
    },
    events: [],
    objectChanges: [
      {
        type: "mutated",
        sender,
        owner: { AddressOwner: fund },
        objectType: "0x2::coin::Coin<0x2::sui::SUI>",
        objectId: gasCoin,
        version: "1025",
        previousVersion: "1024",
        digest: gasObject.reference.digest,
      },
    ],
    balanceChanges: [{ owner: { AddressOwner: fund }, coinType: "0x2::sui::SUI", amount: "-1009880" }],
  },
};
