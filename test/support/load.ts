/** Number of requests by outcome: a status and its code, or `no reply`. */
export type Tally = Record<string, number>;

/** Clients that send one request after another until they are stopped. */
export interface Load {
  /** Outcomes so far. */
  readonly tally: Tally;
  /** Stops after the requests in progress. */
  stop(): Promise<Tally>;
}

/** Starts clients. `send` makes one request; an error counts as `no reply`. */
export function startLoad(clients: number, send: (client: number, round: number) => Promise<Response>): Load {
  const tally: Tally = {};
  let stopped = false;
  const run = async (client: number) => {
    for (let round = 0; !stopped; round++) {
      const outcome = await send(client, round).then(describe, () => 'no reply');
      tally[outcome] = (tally[outcome] ?? 0) + 1;
      // A server that is down refuses at once.
      if (outcome === 'no reply') await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return {
    tally,
    async stop() {
      stopped = true;
      await running;
      return tally;
    },
  };
}

async function describe(reply: Response): Promise<string> {
  const body = (await reply.json()) as { code?: string };
  if (reply.status < 400) return String(reply.status);
  const isProblem = reply.headers.get('content-type')?.startsWith('application/problem+json') === true;
  return `${reply.status} ${isProblem ? String(body.code) : 'not a problem document'}`;
}
