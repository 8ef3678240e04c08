import type { EventType } from "../../../shared/observe/events.ts";

/** The meaning of each event, in a few words. */
export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  "fund.low_balance": "a fund has too little money",
  "fund.balance_recovered": "a fund has enough money again",
  "fund.storage_high": "a fund's storage is nearly full",
  "fund.storage_recovered": "a fund has room again",
  "project.storage_high": "a project's storage is nearly full",
  "project.storage_recovered": "a project has room again",
  "fund.paused": "a fund sponsors nothing more",
  "fund.deposit": "money came to a fund",
  "fund.unresolvable": "a fund cannot learn how a transaction ended",
  "fund.conversion_refused": "a fund cannot make all of its money usable",
  "sponsorship.completed": "a sponsored transaction was executed",
  "sponsorship.expired": "a sponsored transaction was not executed in time",
  "wallet.created": "a user has a wallet",
  "wallet.initialized": "a wallet is on the chain",
  "wallet.missing_record": "a wallet's record is lost",
  "key.disabled": "an access key is disabled",
  "quota.reached": "the limit of new wallets a month is reached",
  "security.secret_mismatch": "somebody tries wrong secrets for a wallet",
  "security.service_secret_mismatch": "a secret of the service has changed",
  "security.admin_token_refused": "somebody tried wrong tokens",
  "node.unhealthy": "a node fails",
  "node.recovered": "a node works again",
  "node.newer_protocol": "a network has a newer protocol than this build knows",
};

/** The types of all events. */
export const EVENT_TYPES = Object.keys(EVENT_WORDS);
