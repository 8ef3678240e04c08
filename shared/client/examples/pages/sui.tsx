import { createDAppKit, DAppKitProvider, useCurrentAccount, useDAppKit } from "@mysten/dapp-kit-react";
import { ConnectButton } from "@mysten/dapp-kit-react/ui";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { createFlows } from "gasworks/flows";
import { useState } from "react";
import { createRoot } from "react-dom/client";

// A page with dapp-kit, whose users mint a badge with their own wallet on Sui, and own no coin. Replace the package, the
// network and its node.

const PACKAGE = "0xdec0de0000000000000000000000000000000000000000000000000000000001";
const dAppKit = createDAppKit({
  networks: ["localnet"],
  createClient: (network) => new SuiGrpcClient({ network, baseUrl: "http://127.0.0.1:8788/sui" }),
  slushWalletConfig: null, // Without this line, dapp-kit offers a web wallet too, and asks its vendor about it.
});
const flows = createFlows({
  url: location.origin,
  token: async () => (await fetch("/session")).text(),
  sui: { network: "localnet" },
});

declare module "@mysten/dapp-kit-react" {
  interface Register {
    dAppKit: typeof dAppKit;
  }
}

function MintButton() {
  const account = useCurrentAccount();
  const { signTransaction, getClient } = useDAppKit();
  const [said, say] = useState("");

  async function mint(address: string) {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${PACKAGE}::demo::mint`, arguments: [transaction.pure.string("by a wallet")] });
    const signer = { address, signTransaction };
    const onState = ({ step }: { readonly step: string }) => say(`${step}…`);
    const minted = await flows.sponsorAndExecute(transaction, signer, { client: getClient(), onState });
    say(minted.ok ? `Minted: ${minted.value.digest}` : `${minted.error.message}: ${minted.error.action.kind}`);
  }

  if (!account) return <p>Connect your wallet to mint.</p>;
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
  <DAppKitProvider dAppKit={dAppKit}>
    <ConnectButton />
    <MintButton />
  </DAppKitProvider>,
);
