import { LocalCounts } from './local-counts';

describe('counts of one process', () => {
  let clock: number;
  let counts: LocalCounts;
  beforeEach(() => {
    clock = 1234.567;
    jest.spyOn(performance, 'now').mockImplementation(() => clock);
    counts = new LocalCounts(60_000);
  });
  afterEach(() => {
    counts.stop();
    jest.restoreAllMocks();
  });

  it('begin with a window of exactly the length that was set, whatever the clock says', () => {
    for (let time = 0; time < 10_000; time++) {
      clock = time * 17.123457;
      expect(counts.count(`key ${time}`)).toEqual({ totalHits: 1, resetSeconds: 60 });
    }
  });

  it('count up within a window and tell when it ends', () => {
    counts.count('a');
    clock += 59_000.5;
    expect(counts.count('a')).toEqual({ totalHits: 2, resetSeconds: 1 });
    expect(counts.count('b')).toEqual({ totalHits: 1, resetSeconds: 60 });
  });

  it('begin anew when the window has ended', () => {
    counts.count('a');
    clock += 60_000;
    expect(counts.count('a')).toEqual({ totalHits: 1, resetSeconds: 60 });
  });
});
