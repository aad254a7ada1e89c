import { Alert, Box, Button, Link as MuiLink, Stack, Typography } from '@mui/material';
import { Children, createContext, type ReactElement, type ReactNode, useContext, useState } from 'react';
import {
  DataTable,
  type DataTableColumnProps,
  FilterButton,
  List,
  type RaRecord,
  ResourceContextProvider,
  TopToolbar,
  useCreatePath,
  useDataProvider,
  useListContext,
  useNotify,
  useRecordContext,
  useResourceContext,
} from 'react-admin';
import { Link } from 'react-router-dom';
import { type Query, save } from '../client/api';
import { formatNumber, useFormats } from './formats';
import { REFRESH_MS } from './refresh';

interface ConsoleListProps {
  resource?: string;
  title?: string;
  /** Inputs; each with a `source` that is a filter of the list. `alwaysOn` shows it. */
  filters?: ReactElement[];
  /** Filters that the page decides. */
  fixed?: Query;
  /** Buttons above the list. */
  actions?: ReactNode;
  sort?: { field: string; order: 'ASC' | 'DESC' };
  /** Address of a record's page; none if its lines have no page of their own. */
  rowClick?: false | 'show' | ((id: unknown, resource: string, record: RaRecord) => string | false);
  csv?: boolean;
  children: ReactNode;
  /** A list within another page keeps its state to itself. */
  embedded?: boolean;
  filterDefaults?: Query;
  expand?: ReactElement;
}

/** A list of the operator API, as every screen shows it: filters, a dense table, how many there are, pages, CSV. */
export function ConsoleList({
  resource,
  fixed,
  rowClick = 'show',
  children,
  embedded = false,
  expand,
  ...options
}: ConsoleListProps) {
  const { title, filters, actions, sort, csv, filterDefaults } = options;
  const [first, ...further] = Children.toArray(children);
  const hasFurther = filters?.some(({ props }) => (props as { alwaysOn?: boolean }).alwaysOn !== true);
  const list = (
    <List
      title={embedded ? ' ' : title}
      filters={filters}
      filter={fixed}
      filterDefaultValues={filterDefaults}
      sort={sort ?? { field: 'default', order: 'DESC' }}
      perPage={25}
      exporter={false}
      empty={false}
      disableSyncWithLocation={embedded}
      // Filters are in the address: the menu leads to the whole list, and going back to what was seen.
      storeKey={false}
      pagination={<Pages />}
      queryOptions={{ refetchInterval: REFRESH_MS, refetchIntervalInBackground: false }}
      actions={
        <TopToolbar sx={{ gap: 1, alignItems: 'center' }}>
          {/* Filters that are saved would keep who was looked for in the browser. */}
          {hasFurther && <FilterButton disableSaveQuery />}
          {actions}
          {csv && <CsvButton />}
        </TopToolbar>
      }
      sx={{ '& .RaList-content': { overflowX: 'auto' }, ...FILTERS }}
    >
      <DataTable
        rowClick={rowClick}
        bulkActionButtons={false}
        expand={expand}
        hiddenColumns={[]}
        empty={<Nothing />}
        sx={{ '& td': { verticalAlign: 'top' }, ...ONE_LINE, ...OPENING_ROWS, ...CARDS }}
      >
        <RowPage key="first" value={rowClick}>
          {first}
        </RowPage>
        {further}
      </DataTable>
    </List>
  );
  return resource === undefined ? list : <ResourceContextProvider value={resource}>{list}</ResourceContextProvider>;
}

/** Filters and buttons stand on one line, whatever margins and hints an input brings; on a phone below each other. */
const FILTERS = {
  // A day in words, which react-admin hides here.
  '& .RaList-actions form .MuiFormHelperText-root': { display: 'block' },
  '@media (min-width: 600px)': {
    '& .RaList-actions': { alignItems: 'center' },
    '& .RaList-actions form': { alignItems: 'center', rowGap: 1, py: 1, minHeight: 0 },
    '& .filter-field': { alignItems: 'center', pb: 0 },
    '& .filter-field .MuiFormControl-root': { my: 0 },
    '& .filter-field .MuiFormControlLabel-root': { ml: 0 },
  },
} as const;

/** Chips and buttons are as high as a line of text: all of a row stands on one. */
const ONE_LINE = {
  '& td .MuiChip-sizeSmall': { height: 20 },
  '& td .MuiButton-root': { py: 0, whiteSpace: 'nowrap', flexShrink: 0, minWidth: 0 },
} as const;

/** A row that leads to a page looks like it: its first cell has the colour of a link. */
const OPENING_ROWS = {
  '& .RaDataTable-clickableRow > td:first-of-type': { color: 'primary.main' },
  '& .RaDataTable-clickableRow:hover > td:first-of-type': { textDecoration: 'underline' },
} as const;

/** On a phone each row is a card, with the labels of its values: nothing is beside the screen. */
const CARDS = {
  '@media (max-width: 599.95px)': {
    '& thead': { display: 'none' },
    '& tbody, & tr': { display: 'block' },
    '& tr': { p: 1, borderBottom: 1, borderColor: 'divider' },
    '& td': { display: 'flex', flexDirection: 'row', gap: 1, border: 0, p: '2px 0 !important', textAlign: 'left' },
    '& td > *': { overflowWrap: 'anywhere' },
    '& td > .MuiStack-root': { flexWrap: 'wrap', rowGap: 1 },
    // A finger needs more room than a mouse.
    '& td .MuiButton-root': { py: 0.5 },
    '& td:has([data-empty])': { display: 'none' },
  },
} as const;

/** A column: with a `source` alone it shows the value as text. */
export function Col({ children, label, source, ...props }: DataTableColumnProps & { label: string }) {
  return (
    <DataTable.Col label={label} source={source} {...props}>
      <PhoneLabel label={label} source={source} />
      <RowLink>{children ?? <Value source={source ?? ''} />}</RowLink>
    </DataTable.Col>
  );
}

/** Where a row leads, for its first cell. */
const RowPage = createContext<ConsoleListProps['rowClick']>(false);

/** In the first cell of a row that a click opens a link that the keyboard reaches, and readers of screens name. */
function RowLink({ children }: { children: ReactNode }) {
  const rowClick = useContext(RowPage);
  const record = useRecordContext<RaRecord>();
  const resource = useResourceContext() ?? '';
  const createPath = useCreatePath();
  if (!rowClick || record === undefined) return children;
  const { id } = record;
  const to = rowClick === 'show' ? createPath({ resource, id, type: 'show' }) : rowClick(id, resource, record);
  if (to === false) return children;
  return (
    <MuiLink
      component={Link}
      to={to}
      state={{ _scrollToTop: true }}
      color="inherit"
      underline="none"
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </MuiLink>
  );
}

function PhoneLabel({ label, source = '' }: { label: string; source?: string }) {
  const value = useRecordContext<RaRecord>()?.[source] as unknown;
  const isEmpty = source !== '' && (value === null || value === undefined || value === '');
  return (
    <Box
      component="span"
      data-empty={isEmpty ? '' : undefined}
      sx={{ display: { sm: 'none' }, flex: '0 0 96px', color: 'text.secondary' }}
    >
      {label}
    </Box>
  );
}

function Value({ source }: { source: string }) {
  const value = useRecordContext<RaRecord>()?.[source] as string | number | null | undefined;
  return <span>{value}</span>;
}

function Nothing() {
  const { error } = useListContext();
  // What could not be read may have rows all the same.
  if (error) return <Alert severity="error">{error.message}</Alert>;
  return (
    <Typography color="text.secondary" sx={{ p: 2 }}>
      There is nothing here.
    </Typography>
  );
}

/** Which lines of how many; counted to 10,000. */
function Pages() {
  const { page, setPage, perPage, data, hasNextPage, hasPreviousPage, meta, isPending } = useListContext();
  const [formats] = useFormats();
  if (isPending || data === undefined) return null;
  const first = (page - 1) * perPage + 1;
  const { total, isExact } = (meta ?? {}) as { total?: number; isExact?: boolean };
  const all = total === undefined ? '' : ` of ${formatNumber(total, formats)}${isExact === false ? '+' : ''}`;
  return (
    <Stack direction="row" spacing={1} sx={{ p: 1, alignItems: 'center', justifyContent: 'flex-end' }}>
      <Typography variant="body2" role="status">
        {data.length === 0
          ? `0${all}`
          : `${formatNumber(first, formats)} to ${formatNumber(first + data.length - 1, formats)}${all}`}
      </Typography>
      <Button size="small" disabled={!hasPreviousPage} onClick={() => setPage(page - 1)}>
        Previous
      </Button>
      <Button size="small" disabled={!hasNextPage} onClick={() => setPage(page + 1)}>
        Next
      </Button>
    </Stack>
  );
}

/** Rows of a file at most. */
const MOST_EXPORTED = 10_000;

const unfinished = (rows: string) =>
  `The file has the first ${rows} rows of the list, and not those behind them: narrow the filter for files that have all.`;

// The rules of `@platform/csv`, which the console cannot load: it is a package of its own.
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const FORMULA_WITHIN = /([;|\t\r\n]"*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const QUOTED = /[",;|\t\r\n]/;

/** A cell of RFC 4180; a text that a spreadsheet would run gets an apostrophe in front, also after what it may take for a separator. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string' && typeof value !== 'object') return String(value);
  const within = (typeof value === 'string' ? value : JSON.stringify(value)).replace(FORMULA_WITHIN, "$1'");
  const text = FORMULA.test(within) ? `'${within}` : within;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The list as a file, with the filters that are set. */
function CsvButton() {
  const { filterValues, filter } = useListContext() as { filterValues: Query; filter?: Query };
  const resource = useResourceContext() ?? '';
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const [done, setDone] = useState<number>();
  const [formats] = useFormats();

  async function exportRows() {
    const rows: RaRecord[] = [];
    let more = true;
    try {
      for (let page = 1; more && rows.length < MOST_EXPORTED; page++) {
        setDone(rows.length);
        const found = await dataProvider.getList(resource, {
          pagination: { page, perPage: 200 },
          sort: { field: 'default', order: 'DESC' },
          filter: { ...filter, ...filterValues },
        });
        rows.push(...found.data);
        more = found.pageInfo?.hasNextPage === true;
      }
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] as unknown))];
      const text = lines.map((line) => line.map(cell).join(',')).join('\r\n');
      save(new Blob([text], { type: 'text/csv' }), `${resource.replaceAll('/', '-')}.csv`);
      if (more) notify(unfinished(formatNumber(rows.length, formats)), { type: 'warning' });
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), { type: 'error' });
    } finally {
      setDone(undefined);
    }
  }

  return (
    <Button size="small" disabled={done !== undefined} onClick={() => void exportRows()}>
      {done === undefined ? 'CSV' : `${done} rows…`}
    </Button>
  );
}
