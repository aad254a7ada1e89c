import { AbandonedRequests } from './abandoned-requests';

describe('abandoned requests', () => {
  let now = 0;
  let requests: AbandonedRequests;
  beforeEach(() => {
    now = 0;
    requests = new AbandonedRequests(() => now);
  });

  /** Lets a party abandon some requests a second, and wait for the answers of others. */
  const ask = (party: string, abandoned: number, answered: number, seconds = 5) => {
    for (let second = 0; second < seconds; second++) {
      for (let count = 0; count < abandoned; count++) requests.count(party, true);
      for (let count = 0; count < answered; count++) requests.count(party, false);
      now += 1000;
    }
  };

  it('are too many if they are most of a party, and more than some ten a second', () => {
    const areTooMany = (abandoned: number, answered: number) => {
      const party = `${abandoned} of ${abandoned + answered}`;
      ask(party, abandoned, answered);
      return requests.areMostOf(party);
    };
    expect([areTooMany(8, 0), areTooMany(40, 50), areTooMany(0, 100)]).toEqual([false, false, false]);
    expect([areTooMany(40, 0), areTooMany(40, 30)]).toEqual([true, true]);
    expect(requests.areMostOf('unknown')).toBe(false);
  });

  it('are forgotten within seconds, and sooner by one who waits for its answers', () => {
    ask('a', 60, 0);
    expect(requests.areMostOf('a')).toBe(true);
    for (let count = 0; count < 200; count++) requests.count('a', false);
    expect(requests.areMostOf('a')).toBe(false);
    ask('b', 60, 0);
    expect(requests.areMostOf('b')).toBe(true);
    now += 8000;
    expect(requests.areMostOf('b')).toBe(false);
  });

  it('of very many parties are remembered for those that were seen last', () => {
    for (let count = 0; count < 40; count++) requests.count('first', true);
    for (let place = 0; place < 19_999; place++) requests.count(`${place}`, true);
    requests.count('first', true);
    requests.count('one more', true);
    expect(requests.areMostOf('first')).toBe(true);
    for (let place = 0; place < 20_000; place++) requests.count(`next ${place}`, true);
    expect(requests.areMostOf('first')).toBe(false);
  });
});
