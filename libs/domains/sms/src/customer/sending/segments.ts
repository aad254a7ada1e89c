import { SegmentedMessage } from 'sms-segments-calculator';
import type { SmsEncoding } from '../../sms-record';

/**
 * Encoding and number of parts of a text: GSM-7 if every character allows it, else UCS-2; split if it does not fit one
 * SMS.
 */
export function segmentsOf(message: string): { encoding: SmsEncoding; segments: number } {
  const { encodingName, segmentsCount } = new SegmentedMessage(message);
  return { encoding: encodingName, segments: segmentsCount };
}
