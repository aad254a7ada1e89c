import { type MessageRequest, MessageRequestReader, PLAIN_FIELDS } from '@domains/ai';
import { JsonTokenizer, SegmentedBytes } from '@platform/json';

/** Reads the body of a message request as the API does; \`pieceBytes\` is how many of its bytes come at a time. */
export function readMessageRequest(
  body: Buffer,
  contextTokens: number,
  pieceBytes = body.length,
  rules = PLAIN_FIELDS,
): MessageRequest {
  const reader = new MessageRequestReader(contextTokens, rules);
  const tokenizer = new JsonTokenizer({ depth: 100, values: 500_000 }, reader);
  const bytes = new SegmentedBytes(body.length);
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = body.subarray(at, at + pieceBytes);
    tokenizer.write(piece);
    bytes.add(piece);
  }
  tokenizer.finish();
  return reader.result(bytes);
}
