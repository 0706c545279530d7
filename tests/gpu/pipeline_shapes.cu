// Pipelines of every shape: who fills a stage, who uses it, and how it is held.
#include "pipeline_shapes.hpp"

using namespace shapes;

namespace {

template <Kind K, int Stages> void check_plain(const Sources& in) {
  run<parts_of<K>>(in, whole_block<K, Stages>, {"the whole block", Stages, 64, cases_of(Stages)});
  run<parts_of<K>>(in, roles<K, Stages, 3>, {"roles", Stages, 128, cases_of(Stages)});
}

}  // namespace

TEST_CASE("one thread loads, and all use every stage, or other warps do") {
  for_all_stages([](auto n) {
    Sources in;
    check_plain<Kind::bulk, n()>(in);
    check_plain<Kind::tensor, n()>(in);
    check_plain<Kind::mixed, n()>(in);
  });
}

TEST_CASE("several producers load their parts of each stage") { CHECK_SHAPE(two_producers, Two, 128, once); }

TEST_CASE("parts of a stage are written by warps or one thread or all beside the engine") {
  CHECK_SHAPE(written_by_warps, Three, 160, once);
  CHECK_SHAPE(written_by_one, Three, 96, once);
  CHECK_SHAPE(written_by_all, Three, 96, once);
  CHECK_SHAPE(written_by_all, Three, 40, once);
}

TEST_CASE("values come with their stage, and say when it is the last") {
  CHECK_SHAPE(values, Two, 128, until_early_end);
  CHECK_SHAPE(values_alone, Two, 96, never);
}

TEST_CASE("groups of consumers use every stage") {
  CHECK_SHAPE(groups, Two, 160, twice);
  CHECK_SHAPE(groups_that_meet, Two, 224, thrice);
  CHECK_SHAPE(skipped, Two, 96, twice_until_early_end);
}

TEST_CASE("groups leave before the end, and the others go on") {
  CHECK_SHAPE(groups_leave, Two, 224, by_who_stays);
  CHECK_SHAPE(groups_leave_as_one, Two, 224, by_who_stays);
}

TEST_CASE("groups take turns, every stage is used by one") {
  CHECK_SHAPE(turns_of_two, Two, 160, once);
  CHECK_SHAPE(turns_of_three, Two, 128, once);
}

TEST_CASE("stages are held by name, over steps, and several at once") {
  CHECK_SHAPE(handles, Two, 96, once);
  shapes::for_all_stages([](auto n) {
    Sources in;
    run<Two>(in, two_open<n()>, {"two open", n() + 1, 96, cases_of(n() + 1)});
  });
  CHECK_SHAPE(early_release, Two, 160, once);
}

TEST_CASE("registers move to the consumers") { CHECK_SHAPE(registers, Two, 256, once); }

TEST_CASE("rings of several roles, one after the other") { CHECK_SHAPE(one_after_the_other, Two, 96, four_times); }
