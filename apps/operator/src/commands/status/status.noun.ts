import type { Noun } from '../command';
import { statusEnd } from './status-end.command';
import { statusList } from './status-list.command';
import { statusPost } from './status-post.command';

export const statusNoun: Noun = {
  name: 'status',
  description: 'status of services',
  commands: [statusPost, statusEnd, statusList],
};
