import { randomBytes, randomInt } from 'node:crypto';
import { SegmentedBytes } from './chunked-bytes';

describe('SegmentedBytes', () => {
  it.each([
    ['of unknown length', undefined],
    ['of a known length', 1_000_000],
    ['longer than announced', 300_000],
  ])('keeps bytes %s, and gives any part of them', (_, expected) => {
    const bytes = randomBytes(1_000_000);
    const kept = new SegmentedBytes(expected);
    for (let at = 0; at < bytes.length;) {
      const next = Math.min(bytes.length, at + randomInt(1, 200_000));
      kept.add(bytes.subarray(at, next));
      at = next;
    }
    expect(kept.length).toBe(bytes.length);
    expect(kept.joined().equals(bytes)).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [5, 6],
      [262_143, 262_145],
      [262_144, 900_000],
      [999_999, 1_000_000],
    ] as const)
      expect(Buffer.concat(kept.slice(start, end)).equals(bytes.subarray(start, end))).toBe(true);
  });

  it('does not copy what comes in one piece', () => {
    const piece = Buffer.from('{}');
    const kept = new SegmentedBytes(2);
    kept.add(piece);
    expect(kept.joined().buffer).toBe(piece.buffer);
  });

  it('does not copy large pieces', () => {
    const pieces = [randomBytes(64_000), randomBytes(64_000)];
    const kept = new SegmentedBytes();
    for (const piece of pieces) kept.add(piece);
    expect(kept.slice(0, kept.length).map(({ buffer }) => buffer)).toEqual(pieces.map(({ buffer }) => buffer));
    expect(kept.slice(0, 1)[0]?.buffer).toBe(pieces[0]?.buffer);
  });

  it('keeps large and small pieces in turn in about as many bytes', () => {
    const kept = new SegmentedBytes();
    for (let count = 0; count < 1000; count++) {
      kept.add(Buffer.alloc(16 * 1024));
      kept.add(Buffer.from('1'));
    }
    const parts = kept.slice(0, kept.length);
    const bytes = [...new Set(parts.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes).toBeLessThan(2 * kept.length);
  });

  it('keeps a million pieces of one byte in about as many bytes', () => {
    const kept = new SegmentedBytes();
    for (let count = 0; count < 1_000_000; count++) kept.add(Buffer.from([count & 0x7f]));
    const parts = kept.slice(0, kept.length);
    expect(parts.reduce((sum, part) => sum + part.buffer.byteLength, 0)).toBeLessThan(1_300_000);
  });
});
