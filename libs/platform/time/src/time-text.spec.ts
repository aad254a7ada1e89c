import { timeText } from './time-text';

describe('the text of a time', () => {
  it.each([
    ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000000Z'],
    ['2026-11-20T12:00:00.120Z', '2026-11-20T12:00:00.120000Z'],
    ['2026-11-20T12:00:00.123+01:00', '2026-11-20T11:00:00.123000Z'],
  ])('of %s is %s', (given, text) => expect(timeText(new Date(given))).toBe(text));
});
