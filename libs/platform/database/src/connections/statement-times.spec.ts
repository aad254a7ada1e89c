import { StatementTimes } from './statement-times';

describe('the time of a read', () => {
  it('is long from 30 ms on', () => {
    const times = new StatementTimes();
    for (let count = 0; count < 100; count++) times.noteBatch(2);
    expect([times.isLong(29), times.isLong(30)]).toEqual([false, true]);
  });

  it('is not long while all take as long, and is again when they no longer do', () => {
    const times = new StatementTimes();
    for (let count = 0; count < 200; count++) times.noteBatch(50);
    expect([times.isLong(60), times.isLong(400)]).toEqual([false, true]);
    for (let count = 0; count < 200; count++) times.noteBatch(2);
    expect(times.isLong(60)).toBe(true);
  });

  it('is long beside quick ones, however long it is', () => {
    const times = new StatementTimes();
    let long = 0;
    for (let count = 0; count < 300; count++) long += Number(times.noteBatch(count % 3 === 0 ? 5000 : 2));
    expect(long).toBe(100);
  });
});
