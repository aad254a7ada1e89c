import { SegmentedMessage } from 'sms-segments-calculator';

/** How many SMS a text takes. */
export function countSegments(text: string): number {
  return new SegmentedMessage(text).segmentsCount;
}
