import { type CSSVariablesResolver, createTheme, DEFAULT_THEME, type MantineColorsTuple } from '@mantine/core'
import { findOptions } from '../ui/search.ts'

/** A muted green. White text on shade 8 has a contrast of 6:1. */
const brand: MantineColorsTuple = [
  '#e6f7f4',
  '#cdeee8',
  '#9bdccf',
  '#66c9b5',
  '#3bb89f',
  '#1fa98d',
  '#0f9a80',
  '#0a826c',
  '#086b59',
  '#055044',
]

/** For buttons with a risk. Mantine's own shades 8 and 9 (9 on hover) are too light under white text. */
const [o0, o1, o2, o3, o4, o5, o6, o7] = DEFAULT_THEME.colors.orange
const orange: MantineColorsTuple = [o0, o1, o2, o3, o4, o5, o6, o7, '#b54708', '#963b07']

export const theme = createTheme({
  colors: { brand, orange },
  primaryColor: 'brand',
  // Mantine's default, shade 6, has too little contrast under white text for WCAG AA.
  primaryShade: 8,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", sans-serif',
  headings: { fontWeight: '600' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Badges show their whole text, not in capitals.
    Badge: {
      defaultProps: { tt: 'none' },
      styles: { root: { overflow: 'visible', flex: 'none' }, label: { overflow: 'visible' } },
    },
    // As bold as other headings. Labels below would stand out more otherwise.
    Modal: { styles: { title: { fontWeight: 600, lineHeight: 1.3 } } },
    Select: { defaultProps: { filter: findOptions } },
    MultiSelect: { defaultProps: { filter: findOptions } },
  },
})

/** The app's own variables, and text colors and a grey of Mantine's that miss WCAG's contrast of 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--mantine-color-body': 'var(--sendroom-surface)',
    '--sendroom-line': '1px solid var(--mantine-color-default-border)',
    '--sendroom-focus': '2px solid var(--mantine-color-brand-6)',
    '--sendroom-header': '3.5rem',
    '--sendroom-sidebar': '250px',
    '--sendroom-on-brand': '#fff',
    '--sendroom-success': 'var(--mantine-color-brand-6)',
    '--sendroom-danger': 'var(--mantine-color-red-8)',
    '--sendroom-attention': 'var(--mantine-color-yellow-7)',
    '--sendroom-info': 'var(--mantine-color-blue-7)',
    '--sendroom-material': '#263238',
  },
  light: {
    '--sendroom-surface': '#fff',
    '--sendroom-ground': '#f7f8f8',
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#c92a2a',
    '--sendroom-warning': '#b54708',
    '--sendroom-danger-ground': 'var(--mantine-color-red-light)',
    '--sendroom-brand-ground': 'var(--mantine-color-brand-9)',
  },
  dark: {
    '--sendroom-surface': '#1c1f20',
    '--sendroom-ground': '#141617',
    '--mantine-color-dimmed': '#a3a9ad',
    '--mantine-color-placeholder': '#959b9f',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-gray-light': '#33393b',
    '--sendroom-warning': '#ffa94d',
    '--sendroom-danger-ground':
      'color-mix(in srgb, var(--mantine-color-red-light) 40%, var(--sendroom-surface))',
    '--sendroom-brand-ground': '#0b2f29',
  },
})
