/** A reply that is sent again. */
export interface KeptReply {
  status: number;
  /** Headers that belong to the body, such as its content type; names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

const HEAD_END = 0x0a;

/** The reply as one text: status and headers in a first line, then the body. */
export function encodeReply({ status, headers, body }: KeptReply): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ status, headers })}\n`), body]);
}

export function decodeReply(bytes: Buffer): KeptReply {
  const end = bytes.indexOf(HEAD_END);
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<KeptReply, 'body'>;
  return { ...head, body: bytes.subarray(end + 1) };
}
