import type { EventType } from "../../../shared/observe/events.ts";

/** The meaning of each event, in a few words. */
export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  "fund.low_balance": "a fund has too little money",
  "fund.balance_recovered": "it has enough again",
  "fund.storage_high": "a fund's storage is nearly full",
  "fund.storage_recovered": "it has room again",
  "project.storage_high": "a project's storage is nearly full",
  "project.storage_recovered": "it has room again",
  "fund.paused": "a fund sponsors nothing more",
  "fund.deposit": "money came to a fund",
  "fund.unresolvable": "a fund cannot learn how a transaction ended",
  "fund.conversion_refused": "a fund cannot convert its money into the form that pays",
  "sponsorship.completed": "the chain has executed one",
  "sponsorship.expired": "nobody executed one in time",
  "wallet.created": "a user has a wallet",
  "wallet.initialized": "a wallet is on the chain",
  "wallet.missing_record": "a wallet's record is lost",
  "key.disabled": "an access key is disabled",
  "quota.reached": "all wallets of the month are made",
  "security.secret_mismatch": "somebody tries wrong secrets for a wallet",
  "security.service_secret_mismatch": "a secret of the service is another one",
  "security.admin_token_refused": "somebody tried wrong tokens",
  "node.unhealthy": "a node fails",
  "node.recovered": "it works again",
  "node.newer_protocol": "a network is newer than this build",
};

/** The types of all events. */
export const EVENT_TYPES = Object.keys(EVENT_WORDS);
