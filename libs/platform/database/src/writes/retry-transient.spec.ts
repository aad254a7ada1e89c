import { DatabaseUnavailableError } from '../errors/database-errors';
import { retryTransient } from './retry-transient';

describe('retryTransient', () => {
  const away = () => new DatabaseUnavailableError(new Error('away'));

  it('repeats until the database is back', async () => {
    const work = jest.fn().mockRejectedValueOnce(away()).mockRejectedValueOnce(away()).mockResolvedValue('stored');
    await expect(retryTransient(work, { pauseMs: 1 })).resolves.toBe('stored');
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('does not repeat what the database refuses', async () => {
    const work = jest.fn().mockRejectedValue(new Error('refused'));
    await expect(retryTransient(work, { pauseMs: 1 })).rejects.toThrow('refused');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('gives up when its time is over', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
    const work = jest.fn(() => {
      now.mockReturnValue(performance.now() + 60);
      return Promise.reject(away());
    });
    await expect(retryTransient(work, { pauseMs: 1, forMs: 100 })).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(work).toHaveBeenCalledTimes(2);
    now.mockRestore();
  });

  it('makes no attempt after its signal, but the first', async () => {
    const stopping = new AbortController();
    const work = jest.fn().mockRejectedValue(away());
    const begun = retryTransient(work, { pauseMs: 20, signal: stopping.signal });
    setImmediate(() => stopping.abort());
    await expect(begun).rejects.toThrow(/abort/i);
    expect(work).toHaveBeenCalledTimes(1);
    await expect(retryTransient(work, { pauseMs: 1, signal: stopping.signal })).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    expect(work).toHaveBeenCalledTimes(2);
  });
});
