import { SegmentedMessage } from 'sms-segments-calculator';
import type { SmsEncoding } from '../../sms-record';

/** How a text goes on the air: GSM-7 if every character allows it, else UCS-2; split when it does not fit one SMS. */
export function segmentsOf(message: string): { encoding: SmsEncoding; segments: number } {
  const { encodingName, segmentsCount } = new SegmentedMessage(message);
  return { encoding: encodingName, segments: segmentsCount };
}
