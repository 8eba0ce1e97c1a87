import type { ReactNode } from 'react'

/** Line icons on a 16-pixel grid; they take the colour of the text around them and are silent to screen readers. */
const PATHS = {
  sessions: <path d="M2 4h12M2 8h12M2 12h8" />,
  dead: <path d="M8 2l6 11H2zM8 6.5v3M8 11.2v.6" />,
  presence: (
    <>
      <circle cx="6" cy="6" r="2.5" />
      <path d="M1.5 13c.6-2.4 2.4-3.5 4.5-3.5s3.9 1.1 4.5 3.5M11 4.2a2.3 2.3 0 010 4.2M12.2 9.9c1.2.5 2 1.5 2.3 3.1" />
    </>
  ),
  audit: <path d="M3 2h10v12H3zM5.5 5.500h5M5.5 8h5M5.5 10.500h3" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="M10.2 10.200L14 14" />
    </>
  ),
  close: <path d="M4 4l8 8M12 4l-8 8" />,
  settings: <path d="M2 4.500h7M13 4.500h1M2 11.500h1M7 11.500h7M11 2.800v3.400M5 9.800v3.4" />,
  copy: <path d="M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3" />,
  check: <path d="M3 8.500l3.2 3.200L13 4.5" />,
  chevronDown: <path d="M4 6l4 4 4-4" />,
  chevronRight: <path d="M6 4l4 4-4 4" />,
  arrowUp: <path d="M8 13V3M4 7l4-4 4 4" />,
  arrowDown: <path d="M8 3v10M4 9l4 4 4-4" />,
  arrowLeft: <path d="M13 8H3M7 4L3 8l4 4" />,
  pause: <path d="M5.5 3v10M10.5 3v10" />,
  play: <path d="M5 3l8 5-8 5z" />,
  lock: <path d="M3.5 7h9v7h-9zM5.5 7V5a2.5 2.5 0 015 0v2" />,
  unlock: <path d="M3.5 7h9v7h-9zM5.5 7V4.500a2.5 2.5 0 014.9-.7" />,
  refresh: <path d="M13.5 8A5.5 5.5 0 112.9 6M2.5 2.500v3.700h3.700M13.5 8A5.5 5.5 0 0012 4.2" />,
  warning: <path d="M8 2l6 11H2zM8 6.500v3M8 11.200v.6" />,
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.200v4M8 4.700v.6" />
    </>
  ),
  file: <path d="M4 1.500h5l3 3v10H4zM9 1.500v3h3" />,
  database: (
    <>
      <ellipse cx="8" cy="3.8" rx="5" ry="2" />
      <path d="M3 3.800v8.400c0 1.1 2.2 2 5 2s5-.9 5-2V3.800M3 8c0 1.1 2.2 2 5 2s5-.9 5-2" />
    </>
  ),
  sliders: <path d="M2 4h12M4 8h8M6 12h4" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />,
  effect: <path d="M4 3v6h8M9 6l3 3-3 3" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      className="icon"
      fill="none"
      focusable="false"
      height={size}
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth="1.5"
      viewBox="0 0 16 16"
      width={size}
    >
      {PATHS[name]}
    </svg>
  )
}
