import { visibleJson, visibleLines, visibleText } from './visible-text';

describe('visibleText', () => {
  it.each([
    ['\u001b[2J\u001b[1;1H', '\\u{1b}[2J\\u{1b}[1;1H'],
    ['\u009b31m', '\\u{9b}31m'],
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u0000\u0007\u0008\u007f', '\\u{0}\\u{7}\\u{8}\\u{7f}'],
    ['\u202e100\u202c \u2066x\u2069', '\\u{202e}100\\u{202c} \\u{2066}x\\u{2069}'],
    ['a\u2028b\u2029c\u200bd\u200ee\ufeff', 'a\\u{2028}b\\u{2029}c\\u{200b}d\\u{200e}e\\u{feff}'],
    ['\ud800', '\\u{d800}'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('shows %j', (text, shown) => expect(visibleText(text)).toBe(shown));

  it.each(['Blåbær & „Öl“', '日本語', 'שלום', '👨‍👩‍👧 👍🏽', 'می‌خواهم', ''])('leaves %s', (text) =>
    expect(visibleText(text)).toBe(text),
  );
});

describe('visibleLines', () => {
  it('keeps line ends, and no other control characters', () =>
    expect(visibleLines('a\r\nb\n\rc\u001b')).toBe('a\nb\n\\rc\\u{1b}'));
});

describe('visibleJson', () => {
  it('is equivalent, and has no control characters', () => {
    const value = { text: '\u001b[2J\u009b31m\u202e\u2028\u007f\u{e0041}👍\ud800 ordinary\n' };
    const json = visibleJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toMatch(/^[\n\x20-\x7e👍]*$/u);
    expect(json.split('\n')).toHaveLength(3);
  });
});
