/** A hostile request body, and the allowed statuses of the reply. */
export interface HostileBody {
  shape: string;
  body: Buffer;
  expected: number[];
}

const HEAD = '{"messages":[{"role":"user","content":';
const TAIL = '}],"max_tokens":1}';
const BLOCK = '[{"type":"text","text":"a","x":';

/** Repeats a pattern between two texts, up to a number of bytes in all. */
function filled(before: string, pattern: string, last: string, after: string, bytes: number): Buffer {
  const fixture = bytes - before.length - last.length - after.length;
  const middle = Buffer.alloc(Math.max(0, Math.floor(fixture / pattern.length)) * pattern.length, pattern);
  return Buffer.concat([Buffer.from(before), middle, Buffer.from(last + after)]);
}

const inBlock = (pattern: string, last: string, bytes: number) =>
  filled(`${HEAD}${BLOCK}[`, pattern, last, `]}]${TAIL}`, bytes);

const image = (bytes: number) =>
  filled(
    `${HEAD}[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`,
    'iVBORw0KGgoA',
    '',
    `"}}]${TAIL}`,
    bytes,
  );

function manyKeys(bytes: number): Buffer {
  const members: string[] = [];
  for (let size = 0; size < bytes - 200; size += 12) members.push(`"k${String(members.length).padStart(7, '0')}":1`);
  return Buffer.from(`${HEAD}[{"type":"text","text":"a",${members.join(',')}}]${TAIL}`);
}

/** Ten shapes of bodies. Large but valid ones must be accepted. */
const SHAPES: Record<string, (bytes: number) => Omit<HostileBody, 'shape'>> = {
  deep: (bytes) => ({ body: filled(`${HEAD}${BLOCK}`, '[', '', '', bytes), expected: [400] }),
  wide: (bytes) => ({ body: inBlock('{},', '{}', bytes), expected: bytes > 2_000_000 ? [413] : [201, 413] }),
  'wide and deep': (bytes) => ({ body: inBlock('[[[[[[]]]]]],', '[]', bytes), expected: [201, 413] }),
  'many numbers': (bytes) => ({ body: inBlock('1,', '1', bytes), expected: bytes > 2_000_000 ? [413] : [201, 413] }),
  'many keys': (bytes) => ({ body: manyKeys(bytes), expected: bytes > 8_000_000 ? [413] : [201, 413] }),
  'duplicate keys': (bytes) => ({
    body: filled(`${HEAD}[{`, '"type":"text",', '"text":"a"', `}]${TAIL}`, bytes),
    expected: [400, 413],
  }),
  'long text': (bytes) => ({ body: filled(`${HEAD}"`, 'a\\n', '', `"${TAIL}`, bytes), expected: [201] }),
  escapes: (bytes) => ({ body: filled(`${HEAD}"`, '\\u00e6', '', `"${TAIL}`, bytes), expected: [201] }),
  'spoiled at its end': (bytes) => ({ body: filled(`${HEAD}"`, 'a', '', `"}]`, bytes), expected: [400] }),
  image: (bytes) => ({ body: image(Math.min(bytes, 20 * 1024 * 1024)), expected: [201] }),
};

/** Names of the shapes. */
export const HOSTILE_SHAPES = Object.keys(SHAPES);

/** A body of this shape and about this size. */
export function hostileBody(shape: string, bytes: number): HostileBody {
  const make = SHAPES[shape];
  if (!make) throw new Error(`No shape ${shape}`);
  return { shape, ...make(bytes) };
}

/** A valid message with images, of about this size. */
export function honestBody(bytes: number): HostileBody {
  return { shape: 'honest', body: image(bytes), expected: [201] };
}
