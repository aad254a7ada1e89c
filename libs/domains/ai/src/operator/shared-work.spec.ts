import { SharedWork } from './shared-work';

describe('shared work', () => {
  /** Work that ends when it is told to, or aborted. */
  function held() {
    const begun: { key: string; signal: AbortSignal; end: (result: number) => void }[] = [];
    const work = new SharedWork<string, number>(
      (key, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          begun.push({ key, signal, end: resolve });
        }),
    );
    return { begun, work };
  }

  it('is done once for all who ask for the same meanwhile, and anew afterwards', async () => {
    const { begun, work } = held();
    const [first, second, other] = [work.ask('a'), work.ask('a'), work.ask('b')];
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
    begun.forEach(({ end }, index) => end(index));
    expect(await Promise.all([first, second, other])).toEqual([0, 0, 1]);
    void work.ask('a');
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
  });

  it('ends when the last one who waits for it has gone, and not before; whoever asks then does not wait for its end', async () => {
    const { begun, work } = held();
    const clients = [new AbortController(), new AbortController()];
    const asked = clients.map(({ signal }) => work.ask('a', signal));
    const failed = expect(Promise.all(asked)).rejects.toThrow('aborted');
    clients[0]?.abort();
    expect(begun[0]?.signal.aborted).toBe(false);
    clients[1]?.abort();
    expect(begun[0]?.signal.aborted).toBe(true);
    const next = work.ask('a');
    await failed;
    begun[1]?.end(2);
    expect(await next).toBe(2);
    const late = expect(work.ask('a', AbortSignal.abort())).rejects.toThrow('aborted');
    await late;
    expect(begun).toHaveLength(3);
  });
});
