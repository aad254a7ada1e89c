import type { JsonToken } from '@platform/json';
import { type ContentSurvey, surveyBlock, surveyCacheControl } from './content-survey';
import { DETAILS, type Fault, type RequestFaults } from './request-faults';
import { type Frame, pointerInto, pointerTo } from './request-frame';

const ROLES = new Set<string | undefined>(['user', 'assistant', 'system']);
/** The provider's own limit. */
const MAX_MESSAGES = 100_000;
/** Length of an empty JSON text: two quotes. */
const EMPTY_TEXT = 2;

/** Judges messages and content blocks, those of the system prompt too. */
export class MessageJudge {
  constructor(
    private readonly survey: ContentSurvey,
    private readonly faults: RequestFaults,
  ) {}

  /** Another message begins, so the one before it was not the last. */
  nextMessage(frame: Frame, isObject: boolean): void {
    this.faults.add(...(frame.faults ?? []));
    frame.faults = undefined;
    if (!isObject) this.faults.add({ pointer: pointerInto(frame), detail: DETAILS.message });
  }

  /** A member of a message that is no array. */
  member(frame: Frame, isText: boolean, token?: JsonToken): void {
    if (frame.key === 'role') frame.role = isText ? token?.text() : undefined;
    if (frame.key !== 'content') return;
    frame.content = isText && token && token.end - token.start === EMPTY_TEXT ? 'empty' : 'given';
    if (!isText) frame.faults = [{ pointer: pointerInto(frame), detail: DETAILS.content }];
  }

  /** A text that is a member of a block or of a part of one. */
  partMember(frame: Frame, token: JsonToken): void {
    if (frame.key === 'type') {
      // A text that is too long to be read is not a known type.
      frame.type = token.text() ?? '';
      if (frame.type === 'container_upload') this.survey.foreignFile ??= pointerTo(frame);
    } else if (frame.key === 'data' && frame.kind === 'source')
      frame.sourceBytes = token.end - token.start - EMPTY_TEXT;
    else if (frame.key === 'ttl' && frame.kind === 'cache') surveyCacheControl(this.survey, token.text());
  }

  /** The current item of a message's content or of the system prompt is no block. */
  badBlock(frame: Frame, pointer: string): void {
    if (frame.kind === 'system') this.faults.add({ pointer, detail: DETAILS.systemBlock });
    // The first one of a message is reported.
    else if (frame.parent) frame.parent.faults ??= [{ pointer, detail: DETAILS.block }];
  }

  endBlock(frame: Frame): void {
    const { parent, type } = frame;
    const missing = type === undefined && parent?.kind === 'content';
    if (parent && (missing || (parent.kind === 'system' && type !== 'text'))) this.badBlock(parent, pointerTo(frame));
    surveyBlock(this.survey, frame);
  }

  endMessage(frame: Frame): void {
    const pointer = pointerTo(frame);
    if (!ROLES.has(frame.role)) this.faults.add({ pointer: `${pointer}/role`, detail: DETAILS.role });
    const content = (detail: string): Fault => ({ pointer: `${pointer}/content`, detail });
    if (frame.content === undefined) this.faults.add(content(DETAILS.content));
    this.faults.add(...(frame.faults ?? []));
    if (frame.content !== 'empty') return;
    // The last message may be the empty beginning of the model's answer. Whether it is the last one is known later.
    if (frame.role === 'assistant' && frame.parent) frame.parent.faults = [content(DETAILS.emptyContent)];
    else this.faults.add(content(DETAILS.emptyContent));
  }

  endMessages(frame: Frame): void {
    const fault = (detail: string) => this.faults.add({ pointer: '/messages', detail });
    if (frame.index < 0) fault(DETAILS.noMessages);
    if (frame.index >= MAX_MESSAGES) fault(DETAILS.tooManyMessages(MAX_MESSAGES));
  }
}
