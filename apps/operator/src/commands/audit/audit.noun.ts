import type { Noun } from '../command';
import { auditList } from './audit-list.command';

export const auditNoun: Noun = { name: 'audit', description: 'the audit log', commands: [auditList] };
