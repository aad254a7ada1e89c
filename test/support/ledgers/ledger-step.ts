/** A call in a batch, by the index of its customer and the seed of its reservation. */
interface Call {
  owner: number;
  seed: string;
}

export interface ReserveCall extends Call {
  input_tokens: number;
  cache: string;
  max_tokens: number;
  least_tokens: number;
  may_shorten: boolean;
  request_id: string;
  token_id: string | null;
  /** As hexadecimal `bytea` texts. */
  key_hash: string | null;
  key_fingerprint: string | null;
}

export interface SettleCall extends Call {
  input: number;
  write_5m: number;
  write_1h: number;
  read: number;
  output: number;
  upstream_id: string;
  streamed: boolean;
  reply_secrets_key: string | null;
  reply: string | null;
}

export interface ReleaseCall extends Call {
  outcome: string;
  reason: string;
  /** Names the reservation by its seed, as if the reply to the reservation had been lost. */
  bySeed: boolean;
}

/**
 * What happens to the customers' AI credit. Calls are sorted by their customers. `late`: the statement arrives after its
 * sender has stopped waiting, and must fail.
 */
export type LedgerStep =
  | { step: 'reserve'; calls: ReserveCall[]; late: boolean }
  | { step: 'settle'; calls: SettleCall[]; late: boolean }
  | { step: 'release'; calls: ReleaseCall[] }
  | { step: 'abandon'; owner: number }
  | { step: 'roll over'; owner: number }
  | { step: 'credit'; owner: number; amount: string }
  | { step: 'limits'; owner: number; enabled: boolean; monthly: string | null; total: string | null }
  | { step: 'include'; owner: number; amount: string }
  | { step: 'price'; rates: string[] }
  | { step: 'time'; at: string };
