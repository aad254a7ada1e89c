import type { Noun } from '../command';
import { tokenDeactivate } from './token-deactivate.command';
import { tokenIssue } from './token-issue.command';
import { tokenList } from './token-list.command';
import { tokenRename } from './token-rename.command';
import { tokenRotate } from './token-rotate.command';

export const tokenNoun: Noun = {
  name: 'token',
  description: 'service tokens',
  commands: [tokenIssue, tokenRotate, tokenRename, tokenDeactivate, tokenList],
};
