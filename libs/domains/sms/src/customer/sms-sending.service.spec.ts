import { SegmentedMessage } from 'sms-segments-calculator';
import { segmentsOf } from './sms-sending.service';

describe('segmentsOf', () => {
  it.each([
    ['918 × a', 'a'.repeat(918), 'GSM-7', 6],
    ['918 × č', 'č'.repeat(918), 'UCS-2', 14],
    ['459 × €, each an escape pair', '€'.repeat(459), 'GSM-7', 7],
    ['Norwegian letters', 'æøåÆØÅ', 'GSM-7', 1],
    ['160 characters', 'a'.repeat(160), 'GSM-7', 1],
    ['161 characters', 'a'.repeat(161), 'GSM-7', 2],
    ['70 characters beyond GSM-7', 'č'.repeat(70), 'UCS-2', 1],
    ['71 characters beyond GSM-7', 'č'.repeat(71), 'UCS-2', 2],
    ['918 emoji, two units each', '😀'.repeat(918), 'UCS-2', 28],
    ['160 septets that end with an escape pair', `${'a'.repeat(158)}€`, 'GSM-7', 1],
    ['an escape pair that does not fit the first part', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['combining marks by themselves, behind one letter', `Kode 1234${'\u0301'.repeat(909)}`, 'UCS-2', 14],
    ['a letter and its mark in two parts', 'a\u0301'.repeat(67), 'UCS-2', 2],
    ['one unit more than fills two parts', `${'a\u0301'.repeat(67)}!`, 'UCS-2', 3],
    ['35 emoji', '😀'.repeat(35), 'UCS-2', 1],
    ['a surrogate pair as a whole', '😀'.repeat(66), 'UCS-2', 2],
    ['a surrogate pair that does not fit the second part', `${'😀'.repeat(66)}a😀`, 'UCS-2', 3],
    ['flags, whose halves are pairs', '🇳🇴'.repeat(33), 'UCS-2', 2],
    ['a family, joined of four emoji', '👨‍👩‍👧‍👦'.repeat(12), 'UCS-2', 2],
  ])('counts %s', (_, message, encoding, segments) => {
    expect(segmentsOf(message)).toEqual({ encoding, segments });
  });

  it('knows the alphabet of GSM-7, and which characters of it count as two', () => {
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
      character.isWellFormed(),
    );
    const gsm7 = characters.filter((character) => segmentsOf(character).encoding === 'GSM-7');
    expect(gsm7).toHaveLength(127 + 10);
    expect(characters.filter((character) => new SegmentedMessage(character).encodingName === 'GSM-7')).toEqual(gsm7);
    // 160 fit one SMS, unless they count as two.
    const counts = (count: (text: string) => number) =>
      gsm7.map((character) => [character, count(character.repeat(160))]);
    expect(counts((text) => segmentsOf(text).segments)).toEqual(
      counts((text) => new SegmentedMessage(text).segmentsCount),
    );
  });
});
