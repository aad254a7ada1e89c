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
  ])('counts %s', (_, message, encoding, segments) => {
    expect(segmentsOf(message)).toEqual({ encoding, segments });
  });
});
