import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** Dense: who works with lists all day wants to see many lines. */
const shared = {
  typography: { fontFamily: FONT, fontSize: 13, h5: { fontWeight: 600 }, h6: { fontWeight: 600 } },
  sidebar: { width: 210, closedWidth: 48 },
  shape: { borderRadius: 6 },
} as const;

const components = {
  MuiTextField: { defaultProps: { variant: 'outlined', size: 'small' } },
  MuiFormControl: { defaultProps: { variant: 'outlined', size: 'small' } },
  MuiTableCell: { styleOverrides: { sizeSmall: { padding: '4px 10px' } } },
} as const;

export const lightTheme: RaThemeOptions = {
  ...defaultLightTheme,
  ...shared,
  components: { ...defaultLightTheme.components, ...components },
  palette: {
    mode: 'light',
    primary: { main: '#1f4e79' },
    secondary: { main: '#1f4e79' },
    background: { default: '#f6f7f9' },
    // Contrast of at least 4.5 to 1 on white, for small texts too.
    warning: { main: '#8a5200' },
    success: { main: '#1d6b35' },
    error: { main: '#b3261e' },
    info: { main: '#0b5c8f' },
    text: { secondary: '#4d5561' },
  },
} as RaThemeOptions;

export const darkTheme: RaThemeOptions = {
  ...defaultDarkTheme,
  ...shared,
  components: { ...defaultDarkTheme.components, ...components },
  palette: {
    mode: 'dark',
    primary: { main: '#8fbce6' },
    secondary: { main: '#8fbce6' },
    background: { default: '#15181c', paper: '#1d2126' },
    warning: { main: '#f2b872' },
    success: { main: '#7fd39a' },
    error: { main: '#ff9d94' },
    info: { main: '#86c5f0' },
    text: { secondary: '#b4bcc7' },
  },
} as RaThemeOptions;
