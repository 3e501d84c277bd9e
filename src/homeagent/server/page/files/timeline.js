// Turns by time, newest first. Only the rows on view are in the document, and pages are fetched as they are needed.
// Every text stands in a text node.
export default {
  props: { address: String, base: String, labels: Object, names: Object },
  template: `
    <div class="timeline">
      <p class="fine" role="status">{{ status }}</p>
      <q-virtual-scroll ref="scroll" class="timeline-scroll" tabindex="0" role="region" :aria-label="labels.list"
        :items="rows" :virtual-scroll-item-size="96" :virtual-scroll-slice-size="30" @virtual-scroll="scrolled"
        v-slot="{ item, index }">
        <div :key="item.turn" class="timeline-row">
          <h2 v-if="day(index)" class="day">{{ day(index) }}</h2>
          <a class="turn-entry" :class="{ forgotten: item.forgotten }" :href="base + item.turn">
            <span class="flow">
              <span class="fine">{{ time(item) }}</span>
              <span class="fine place" :title="place(item)">{{ item.sender }} · {{ names[place(item)] || place(item) }}</span>
              <span v-if="item.forgotten" class="chip is-warn">{{ labels.forgotten }}</span>
              <span v-if="item.status !== 'done'" class="chip is-warn">{{ labels[item.status] || item.status }}</span>
              <span v-for="tool in tools(item)" class="chip">{{ tool }}</span>
              <span v-if="item.attachments" class="chip">{{ labels.files }} {{ item.attachments }}</span>
            </span>
            <span class="line said">{{ item.text || labels.silent }}</span>
            <span class="line reply" v-if="item.reply">{{ item.reply }}</span>
          </a>
        </div>
      </q-virtual-scroll>
    </div>`,
  data() {
    return { rows: [], next: null, loading: false, ended: false, failed: false };
  },
  computed: {
    status() {
      if (this.failed) return this.labels.lost;
      const count = this.rows.length.toLocaleString("en");
      return (this.ended ? this.labels.all : this.labels.some).replace("{count}", count);
    },
  },
  mounted() {
    this.more();
  },
  methods: {
    async more() {
      if (this.loading || this.ended) return;
      this.loading = true;
      try {
        const before = this.next === null ? "" : "&before=" + this.next;
        const answer = await fetch(this.address + before, { credentials: "same-origin" });
        if (!answer.ok) throw new Error(String(answer.status));
        const page = await answer.json();
        this.rows = Object.freeze([...this.rows, ...page.turns.map(Object.freeze)]);
        this.next = page.next;
        this.ended = page.next === null;
        this.failed = false;
      } catch (error) {
        this.failed = true;
      } finally {
        this.loading = false;
      }
    },
    scrolled({ to }) {
      if (to > this.rows.length - 60) this.more();
    },
    place(item) {
      return item.place.channel + "/" + item.place.chat;
    },
    tools(item) {
      return [...new Set(item.tools)].slice(0, 4);
    },
    time(item) {
      return item.at ? item.at.slice(11, 16) : ""; // as the clocks said where it was said
    },
    day(index) {
      const day = (item) => (item && item.at ? item.at.slice(0, 10) : this.labels.undated);
      return index === 0 || day(this.rows[index]) !== day(this.rows[index - 1]) ? day(this.rows[index]) : "";
    },
  },
};
