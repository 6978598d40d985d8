// Draws the charts of the page from its figures; their colours are those of the page, light or dark.
"use strict";

(() => {
  const HEIGHT = 200;
  const DASHES = [[], [8, 5], [2, 4]];
  const MARKS = [5, 7, 5];
  const STYLES = ["solid", "dashed", "dotted"];
  const charts = document.getElementById("charts");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let drawn = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const two = (value) => String(value).padStart(2, "0");

  function duration(seconds) {
    if (seconds >= 3600) return `${+(seconds / 3600).toFixed(1)} h`;
    if (seconds >= 60) return `${+(seconds / 60).toFixed(1)} min`;
    return `${+seconds.toFixed(1)} s`;
  }

  const UNITS = {
    count: (value) => value.toLocaleString("en"),
    seconds: duration,
    percent: (value) => `${Math.round(value)} %`,
    usd: (value) => `$${+value.toFixed(3)}`,
  };

  // What the scale shows at least, so that next to nothing does not look like much.
  const LEAST = { count: 4, seconds: 1, percent: 100, usd: 0.01 };

  function day(seconds) {
    const at = new Date(seconds * 1000);
    return `${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  }

  const hour = (seconds) => `${two(new Date(seconds * 1000).getUTCHours())}:00`;
  const moment = (seconds) => `${day(seconds)} ${hour(seconds)}`;
  const tick = (seconds) => (seconds % 86_400 ? hour(seconds) : day(seconds));

  // Where a value stands without neighbours, no line comes by: there it has a point, or nobody would see it.
  function alone(values) {
    const is = (place) => values[place] != null;
    return [...values.keys()].filter((place) => is(place) && !is(place - 1) && !is(place + 1));
  }

  function draw(place, at, chart) {
    const told = UNITS[chart.unit];
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--grid") } };
    const series = chart.series.map((each, index) => ({
      label: each.name,
      stroke: colour(`--line-${index + 1}`),
      width: 2,
      dash: DASHES[index],
      points: { show: at.length <= 40, size: MARKS[index], filter: (_, __, all) => (all ? null : alone(each.values)) },
      value: (_, value) => (value == null ? "–" : told(value)),
      spanGaps: false,
    }));
    // The legend tells the last values until somebody points at others.
    const rest = (plot) => {
      if (plot.cursor.idx == null) plot.setLegend({ idx: at.length - 1 }, false);
    };
    const options = {
      hooks: { ready: [rest], setCursor: [(plot) => setTimeout(rest, 0, plot)] },
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { markers: { dash: (_, index) => STYLES[index - 1], stroke: (_, index) => colour(`--line-${index}`) } },
      scales: { y: { range: (_, low, high) => [0, chart.unit === "percent" ? LEAST.percent : Math.max(high * 1.1, LEAST[chart.unit])] } },
      axes: [{ ...axis, size: 32, values: (_, values) => values.map(tick) }, { ...axis, size: 76, values: (_, values) => values.map(told) }],
      series: [{ label: "from", value: (_, value) => (value == null ? "–" : moment(value)) }, ...series],
    };
    return new uPlot(options, [at, ...chart.series.map((each) => each.values)], place);
  }

  function drawAll(figures) {
    for (const each of drawn) each.destroy();
    drawn = [...charts.querySelectorAll("[data-chart]")].map((place) => (
      draw(place, figures.at, figures.charts[place.dataset.chart])
    ));
  }

  async function begin() {
    const answer = await fetch(charts.dataset.figures, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    const figures = await answer.json();
    drawAll(figures);
    dark.addEventListener("change", () => drawAll(figures));
    new ResizeObserver(() => {
      for (const each of drawn) each.setSize({ width: each.root.parentElement.clientWidth, height: HEIGHT });
    }).observe(charts);
  }

  begin();
})();
