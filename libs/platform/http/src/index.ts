export { acceptedWeights, weightOfJson } from './accept';
export { AfterBodyGuard } from './after-body.guard';
export { BODY_BYTES, BodyMemory, type BodyLease, TurnBudget } from './body-limits';
export { networkOf, onReplyClosed } from './connections';
export { CsvExportsService, type CsvReader, PageOrCsvReply, WantsCsv } from './csv-exports.service';
export { isDocumentation } from './documentation-files';
export {
  InboxPageDto,
  InboxQueryDto,
  IsSearch,
  SortBy,
  toInboxPageDto,
  toInboxRequest,
  WHOLE_LIST_MAX,
} from './dto/inbox.dto';
export { ListQueryDto, PageDto, PageQueryDto, toPageDto, toPageRequest } from './dto/page.dto';
export { ProblemDto, ProblemErrorDto } from './dto/problem.dto';
export {
  type FaultOf,
  FieldRule,
  IsAmount,
  IsDay,
  IsFlag,
  IsId,
  IsOneOf,
  IsQueryNumber,
  IsText,
  IsTime,
  IsTrueOrFalse,
  IsUuid,
  IsWholeNumber,
  MayBeLeftOut,
} from './field-rules';
export { Uncompressed } from './compression';
export { ClientGone, PathId } from './handler-params';
export { HttpModule } from './http.module';
export { KeyedRequestsService, requestKeyOf } from './keyed-requests.service';
export { Draining, listen, ListeningSockets } from './listening';
export { LoadShedder } from './load-shedding';
export { API_KEY_SCHEME, operationsOf, scopesOf } from './open-api/document';
export type { InterfaceParts } from './open-api/interface-parts';
export { writeDocument } from './open-api/write-document';
export { ProblemReplies } from './open-api/problem-replies.decorator';
export { type ErrorReply, type Problem, type ProblemDialect, problemOf } from './problem';
export { ProblemFilter } from './problem.filter';
export { RequestPresenter } from './request-presenter';
export { RequestBodyGuard, type RequestWithBody, WithSmallBody } from './request-body.guard';
export {
  type BodyReader,
  type BodyRules,
  declareRules,
  isKeyed,
  KeyClaimedByService,
  ReadBodyBy,
  type ReplayHeaders,
  ReplyForm,
  type RouteRules,
  type KeyRules,
  rulesOf,
  WithoutBody,
  WithholdInRetries,
  WithoutEffect,
} from './route-rules';
export { type AddressHint, type Route, routesOf, setAddressHints } from './routing';
export { configureApplication, createAdapter, type EndedRequest, observeRequests, requestMeter } from './server';
export { ReplyMemory, waitForReader } from './unread-replies';
export { createValidationPipe, fieldNames } from './validation-pipe';
