import type { Noun } from '../command';
import { creditRequestApprove } from './credit-request-approve.command';
import { creditRequestList } from './credit-request-list.command';
import { creditRequestReject } from './credit-request-reject.command';

export const creditRequestNoun: Noun = {
  name: 'credit-request',
  description: "customers' requests for extra AI credit",
  commands: [creditRequestList, creditRequestApprove, creditRequestReject],
};
