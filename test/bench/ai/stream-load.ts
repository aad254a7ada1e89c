import { Agent, type Dispatcher } from 'undici';

/** A request for a stream, sent again and again. */
export interface StreamRequest {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** What a load of streams took. */
export interface StreamLoad {
  perSecond: number;
  /** Milliseconds from each request to its first event. */
  firstEvents: number[];
}

/** Keeps `connections` streams open for a time, each read to its end. @throws if one has no end */
export async function loadStreams(request: StreamRequest, connections: number, seconds: number): Promise<StreamLoad> {
  const agent = new Agent({ connections });
  const firstEvents: number[] = [];
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const repeat = async () => {
    while (performance.now() < until) firstEvents.push(await readStream(agent, request));
  };
  await Promise.all(Array.from({ length: connections }, repeat));
  const took = (performance.now() - begun) / 1000;
  await agent.close();
  return { perSecond: firstEvents.length / took, firstEvents };
}

/** Reads one stream. @param onBegun called with its first event @returns after how many milliseconds that came */
export function readStream(agent: Dispatcher, request: StreamRequest, onBegun?: () => void): Promise<number> {
  const { url: origin, path, headers, body } = request;
  const sent = performance.now();
  let first: number | undefined;
  let last: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    agent.dispatch(
      { origin, path, method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, status) {
          if (status >= 300) reject(new Error(`${origin}: refused with ${status}`));
        },
        onResponseData(_controller, chunk) {
          if (first === undefined) onBegun?.();
          first ??= performance.now() - sent;
          last = chunk;
        },
        onResponseEnd() {
          if (first === undefined || !last.includes('message_stop'))
            reject(new Error(`${origin}: a stream without end`));
          else resolve(first);
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
