import type { JsonToken } from '@platform/json';
import type { ContentSurvey } from './content-survey';
import { toolRule } from './fields/provider-tools';
import { DETAILS, type RequestFaults } from './request-faults';
import { type Frame, pointerInto, pointerTo } from './request-frame';

/** The type of a tool that the caller defines. */
const CUSTOM = 'custom';

/** Judges the tools, and the members of the objects that have rules. */
export class ToolJudge {
  constructor(
    private readonly survey: ContentSurvey,
    private readonly faults: RequestFaults,
  ) {}

  /** A member of a tool, of `thinking` or of `output_config`. @param token undefined for an object or array */
  member(frame: Frame, token?: JsonToken, isText = false): void {
    const { rule, key = '', kind } = frame;
    const text = token?.text();
    // Null is as good as none; a text that is too long to be read, and what is no text, are no known type.
    const isNull = !isText && text === 'null';
    if (kind === 'tool' && key === 'type') frame.type = isText ? (text ?? '') : isNull ? CUSTOM : '';
    if (isNull || (rule !== 'unpriced' && rule !== 'beta' && rule !== 'unknown')) return;
    const fault = { pointer: pointerInto(frame), detail: DETAILS[rule](key) };
    if (kind === 'tool') (frame.faults ??= []).push(fault);
    else this.faults.add(fault);
  }

  /** One that may call a tool: code that the provider runs is billed by its time. */
  caller(frame: Frame, token?: JsonToken): void {
    if (token?.text() === 'direct' || !frame.parent) return;
    (frame.parent.faults ??= []).push({ pointer: pointerInto(frame), detail: DETAILS.callers });
  }

  /** Something in `tools` that is no object. */
  badTool(frame: Frame): void {
    this.faults.add({ pointer: pointerInto(frame), detail: DETAILS.tools });
  }

  /** A complete tool. It is refused for its type, which may have members of its own, or else for its members. */
  endTool(frame: Frame): void {
    if (frame.parent?.parent?.rule !== 'forwarded') return;
    const { type = CUSTOM } = frame;
    const rule = toolRule(type);
    const refuse = (detail: string) => this.faults.add({ pointer: `${pointerTo(frame)}/type`, detail });
    if (rule === undefined) return refuse(DETAILS.toolUnknown);
    if (rule !== 'client') return refuse(rule === 'beta' ? DETAILS.toolBeta(type) : DETAILS.toolType(type));
    this.faults.add(...(frame.faults ?? []));
    this.survey.tools++;
    if (type !== CUSTOM) this.survey.providerTools++;
  }

  /** All tools. */
  endTools(frame: Frame): void {
    if (frame.parent?.rule === 'elsewhere' && frame.index >= 0)
      this.faults.add({ pointer: pointerTo(frame), detail: DETAILS.elsewhere('tools') });
  }
}
