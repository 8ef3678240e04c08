import {
  type AccountAddress,
  Deserializer,
  EntryFunction,
  MoveString,
  Network,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { AptosWalletAdapterProvider, useWallet } from "@aptos-labs/wallet-adapter-react";
import { aptosWallet, createFlows } from "gasworks/flows";
import { useState } from "react";
import { createRoot } from "react-dom/client";

// A page with the wallet adapter, whose users mint a badge with their own wallet on Aptos, and own no coin. Replace the
// module and the network.

const MODULE = "0xdec0de0000000000000000000000000000000000000000000000000000000001::demo";
const flows = createFlows({
  url: location.origin,
  token: async () => (await fetch("/session")).text(),
  aptos: { network: "localnet" },
});

function MintButton() {
  const wallet = useWallet();
  const [said, say] = useState("");

  async function mint(to: AccountAddress) {
    const mintBadge = EntryFunction.build(MODULE, "mint", [], [new MoveString("by a wallet"), to]);
    const payload = new TransactionPayloadEntryFunction(mintBadge);
    const signer = aptosWallet(wallet, { Deserializer, SimpleTransaction });
    const minted = await flows.sponsorAndExecute(payload, signer, { onState: ({ step }) => say(`${step}…`) });
    say(minted.ok ? `Minted: ${minted.value.hash}` : `${minted.error.message}: ${minted.error.action.kind}`);
  }

  const { account, connect, wallets } = wallet;
  if (!account)
    return wallets.map(({ name }) => (
      <button type="button" key={name} onClick={() => connect(name)}>
        {name}
      </button>
    ));
  return (
    <p>
      <button type="button" onClick={() => mint(account.address)}>
        Mint
      </button>
      <output>{said}</output>
    </p>
  );
}

createRoot(document.body).render(
  <AptosWalletAdapterProvider autoConnect dappConfig={{ network: Network.LOCAL }} disableTelemetry>
    <MintButton />
  </AptosWalletAdapterProvider>,
);
