/** Outlines on a 24 × 24 grid, stroked in the current text colour. */
const shapes = {
  files:
    "M4 6.5A2.5 2.5 0 0 1 6.5 4H10l2 2.5h5.5A2.5 2.5 0 0 1 20 9v8.5a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 4 17.5z",
  names: "M4 12.5V5.5A1.5 1.5 0 0 1 5.5 4h7L20 11.5 12.5 19zM8.2 8.200h.01",
  storage:
    "M4 7c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 7v10c0 1.7 3.6 3 8 3s8-1.3 8-3V7M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9h-13zM12 14.500v2",
  globe:
    "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM4 12h16M12 4c2.5 2.3 3.5 5 3.5 8s-1 5.7-3.5 8c-2.5-2.3-3.5-5-3.5-8s1-5.7 3.5-8z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.500l4.5 4.500L19 7.5",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.700l1-1",
  external: "M13.5 4.500h6V10.500M19.5 4.500L11.5 12.500M17.500 14v5.500h-13v-13H10",
  close: "M6 6l12 12M18 6L6 18",
  retry: "M19 12a7 7 0 1 1-2-4.900M19 4v4h-4",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  upload: "M12 16V5M7.5 9L12 4.5 16.5 9M4.5 16.500V20h15v-3.5",
  download: "M12 4.500V16M7.5 11.500L12 16l4.5-4.500M4.5 19.500h15",
  image: "M4 5h16v14H4zM4 16l5-5 4.5 4.5 2.5-2.5 4 4M15.5 9h.01",
  video: "M4 6h11v12H4zM15 10.500l5-3v9l-5-3",
  audio:
    "M9 17.500V6l10-2v11.500M9 17.500a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM19 15.500a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z",
  text: "M6 3.500h8.500L19 8v12.500H6zM14 3.500V8.500h5M9 12.500h7M9 16h7",
  file: "M6 3.500h8.500L19 8v12.500H6zM14 3.500V8.500h5",
  folder: "M4 6.500A1.5 1.5 0 0 1 5.5 5H10l2 2.500h6.500A1.5 1.5 0 0 1 20 9v9.500H4z",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.3-3.6 3-5.5 6.5-5.500s6.2 1.9 6.5 5.500M16 4.500a3.5 3.5 0 0 1 0 6.500M18 15c2 .800 3.3 2.5 3.5 5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M18.7 5.300l-1.4 1.400M6.7 17.300l-1.4 1.4",
  moon: "M19.5 14A8 8 0 0 1 10 4.5 8 8 0 1 0 19.5 14z",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 14v2h-2M14 20h2v-2M20 18v2h-2",
  leave: "M14 4.500H5v15h9M10 12h10.500M17 8.500l3.5 3.5-3.5 3.5",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l2.800 1.800",
  warning: "M12 4L2.5 20h19zM12 10v4.500M12 17.300h.01",
  fold: "M5.5 9l6.5 6.5L18.5 9",
  unfold: "M5.5 15L12 8.5l6.5 6.5",
  back: "M15 5.500L8.5 12l6.5 6.5",
  chevron: "M9 5.500l6.5 6.500L9 18.5",
  plus: "M12 5v14M5 12h14",
  wallet:
    "M4 7.500A2.5 2.5 0 0 1 6.5 5H18v3M4 7.500V17a2.5 2.5 0 0 0 2.5 2.500H20V8H6.500A2.5 2.5 0 0 1 4 7.500zM16.2 13.800h.01",
  shield: "M12 3.500l7.5 2.800V12c0 4.4-3.2 7.3-7.5 8.8-4.3-1.5-7.5-4.4-7.5-8.800V6.300zM8.5 12l2.5 2.5 4.5-4.8",
} as const;

export type IconName = keyof typeof shapes;

/** Decorative: the component that uses it provides the accessible name. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
