import { z } from 'zod';
import { address, exactAddress, flag, port, positive } from './types';

/** The operator's API and console, and rules of the operator's work. */
export const operator = {
  OPERATOR_HOST: z.string().min(1).default('127.0.0.1').describe('address the operator API listens on'),
  OPERATOR_PORT: port.default(3001).describe('port the operator API listens on'),
  OPERATOR_INTERNAL_PORT: port
    .optional()
    .describe("port of the operator API's internal listener under npm start; default INTERNAL_PORT + 2"),
  OPERATOR_URL: address
    .optional()
    .describe(
      'address people reach the operator console under, https in production; default http://localhost:OPERATOR_PORT, and no other name is served then',
    ),
  OPERATOR_CONSOLE_BUILD: flag
    .default(true)
    .describe('whether npm start builds the operator console beside the running programs, if its sources changed'),
  OPERATOR_LOGIN_ATTEMPTS_PER_MINUTE: positive
    .default(10)
    .describe('logins to the operator console that one network address may try per minute'),
  OPERATOR_OIDC_ISSUER: exactAddress
    .optional()
    .describe(
      'identity provider (OpenID Connect) that logs people in to the operator console, instead of passkeys: its issuer, to the last slash',
    ),
  OPERATOR_OIDC_CLIENT_ID: z.string().min(1).optional().describe('the client id of the operator console there'),
  OPERATOR_OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('if it has one there, its client secret'),
  OPERATOR_OIDC_ROLE_CLAIM: z
    .string()
    .min(1)
    .default('role')
    .describe('claim of the ID token that names the role, or several: viewer, support, billing, admin'),
  OPERATOR_OIDC_LABEL: z
    .string()
    .min(1)
    .default('Single sign-on')
    .describe('name of the identity provider on the login page'),
  APPROVAL_SECOND_PERSON_NOK: positive
    .optional()
    .describe(
      'credit requests above this amount are approved by two people, on the command line too; default: one is enough',
    ),
};
